using System.Diagnostics.CodeAnalysis;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>A source of observations: StarCraft II, the simulated game, or a recording. The hub treats all of them the same way.</summary>
/// <remarks>
/// Only one call of <see cref="NextAsync"/> may run at a time. Requests may come from any thread during this call. A request that is
/// made before a call of <see cref="NextAsync"/> reaches the game before the step. If such a request contains actions,
/// the game's answer is returned before the frame. Every failure is a <see cref="GameException"/> with one clear line.
/// </remarks>
public interface IGameSource : IAsyncDisposable, IGameRequests
{
    private static readonly Task<GameException> Never = new TaskCompletionSource<GameException>().Task;

    /// <summary>The match; known when <see cref="StartAsync"/> has completed.</summary>
    V1.MatchDescription Description { get; }

    /// <summary>How the match ended; known when <see cref="NextAsync"/> has returned null.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    V1.MatchEnd? End { get; }

    /// <summary>Each perspective's game info, if they differ; null if the description's game info is valid for all perspectives.</summary>
    IReadOnlyDictionary<uint, ResponseGameInfo>? GameInfo => null;

    /// <summary>
    /// The sides of the match, with one perspective each. Each side is read independently. Frames are read from the sides, and
    /// everything else from this source. The list is known before the start. If the match is not split into sides, the list has only this source.
    /// </summary>
    IReadOnlyList<IGameSource> Sides => [this];

    /// <summary>Controls a match that is played from a recording, or from a replay in the game; null for any other match.</summary>
    IPlayback? Playback => null;

    /// <summary>
    /// Completes with the cause when a game that was started or joined has ended, even if no request is pending. The task never
    /// fails. Read this property after <see cref="StartAsync"/> has completed. If the source needs no game, the task never completes.
    /// </summary>
    Task<GameException> Failed => Never;

#pragma warning disable CA1003 // Listeners get plain values, as with HubEvents.
    /// <summary>
    /// Raised when the outcome of a bot's actions is known. The bot plays this side behind the proxy, without the hub, and already
    /// has the game's answer. The event is raised on the thread that read this answer, so a listener must return at once.
    /// </summary>
    event Action<ActionReport> Acted
    {
        add
        {
        }

        remove
        {
        }
    }
#pragma warning restore CA1003

    /// <summary>Starts the match. After this call, the first observation can be requested.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Returns the first observation, and in each later call the observation after the next step.</summary>
    /// <returns>A frame with a reference for the caller; null if the match has ended.</returns>
    ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken);
}
