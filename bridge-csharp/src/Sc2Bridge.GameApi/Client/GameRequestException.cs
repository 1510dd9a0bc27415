using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The game (or, before it was asked, the guard of its states) refused one request; the connection is whole.
/// </summary>
public sealed class GameRequestException : GameException
{
    /// <summary>A refusal.</summary>
    /// <param name="request">The request's kind.</param>
    /// <param name="errors">What the game said: its error list, or a typed error and its details.</param>
    public GameRequestException(Request.RequestOneofCase request, IReadOnlyList<string> errors)
        : base($"The game refused {ApiState.NameOf(request)}: {string.Join("; ", errors)}")
    {
        Request = request;
        Errors = errors;
    }

    /// <summary>The request's kind.</summary>
    public Request.RequestOneofCase Request { get; }

    /// <summary>What the game said, in its own words.</summary>
    public IReadOnlyList<string> Errors { get; }
}
