using System.Diagnostics.CodeAnalysis;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where observations come from: StarCraft II, the simulated game, or a recording. The hub cannot tell them apart.
/// </summary>
/// <remarks>
/// <see cref="NextAsync"/> is for one caller at a time; requests may be made from any thread meanwhile. Requests made
/// before a call of it reach the game before the step that it asks for, and the game's answer to actions among them is
/// returned before the frame. Every failure is a <see cref="GameException"/> with one clear line.
/// </remarks>
public interface IGameSource : IAsyncDisposable, IGameRequests
{
    private static readonly Task<GameException> Never = new TaskCompletionSource<GameException>().Task;

    /// <summary>The match; known once <see cref="StartAsync"/> is done.</summary>
    V1.MatchDescription Description { get; }

    /// <summary>How the match ended, once <see cref="NextAsync"/> gave null.</summary>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    V1.MatchEnd? End { get; }

    /// <summary>
    /// Each perspective's own game info, where they differ; null where the description's holds for all.
    /// </summary>
    IReadOnlyDictionary<uint, ResponseGameInfo>? GameInfo => null;

    /// <summary>
    /// The sides that are followed each at its own pace, one perspective each: frames are read from them, everything
    /// else from this source. Known from the beginning; where the match is followed as a whole, this source alone.
    /// </summary>
    IReadOnlyList<IGameSource> Sides => [this];

    /// <summary>
    /// Controls the match where it is played from a recording, or from a replay in the game; null in any other.
    /// </summary>
    IPlayback? Playback => null;

    /// <summary>
    /// Completes with the cause when a game that was started or joined is gone, even if no request is pending; never
    /// fails. To be read once <see cref="StartAsync"/> is done; where no game is needed it never completes.
    /// </summary>
    Task<GameException> Failed => Never;

#pragma warning disable CA1003 // Plain values, as those of HubEvents, which gets them.
    /// <summary>
    /// The outcome is known of actions by a client that commands this side's player without the hub, such as an
    /// unmodified bot; it got the answer before. Raised on the thread that read the answer: return at once.
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

    /// <summary>Starts the match, so that its first observation can be asked for.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>The first observation, then one for every step.</summary>
    /// <returns>A frame that the caller holds, or null when the match has ended.</returns>
    ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken);
}
