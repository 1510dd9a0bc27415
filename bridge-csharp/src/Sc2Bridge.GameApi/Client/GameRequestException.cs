using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The game refused a request, or the client did not send the request because of the game's state. The connection still works.
/// </summary>
public sealed class GameRequestException : GameException
{
    /// <summary>Creates the exception for a refused request.</summary>
    /// <param name="request">The request's kind.</param>
    /// <param name="errors">The game's errors: its error list, or a typed error and its details.</param>
    public GameRequestException(Request.RequestOneofCase request, IReadOnlyList<string> errors)
        : base($"The game refused {ApiState.NameOf(request)}: {string.Join("; ", errors)}")
    {
        Request = request;
        Errors = errors;
    }

    /// <summary>The request's kind.</summary>
    public Request.RequestOneofCase Request { get; }

    /// <summary>The game's errors, unchanged.</summary>
    public IReadOnlyList<string> Errors { get; }
}
