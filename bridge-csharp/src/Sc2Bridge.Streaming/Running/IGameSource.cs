using System.Diagnostics.CodeAnalysis;
using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where observations come from: StarCraft II, the simulated game, or a recording. The hub cannot tell them apart.
/// </summary>
/// <remarks>
/// <see cref="NextAsync"/> is for one caller at a time; requests may be made from anywhere meanwhile. Those made before
/// a call of it go before the step that it asks for, and the game's answer to actions among them is given before the
/// frame is. Every failure is a <see cref="GameException"/> with one clear line.
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
    /// The match as each perspective's game tells of it, where they differ; null where the description tells all.
    /// </summary>
    IReadOnlyDictionary<uint, ResponseGameInfo>? GameInfo => null;

    /// <summary>
    /// The sides of the match that are followed each at its own pace, of one perspective each: their frames are asked
    /// of them, all else of this. Known from the beginning; where it is followed as a whole, this alone.
    /// </summary>
    IReadOnlyList<IGameSource> Sides => [this];

    /// <summary>
    /// What holds and moves the match where it is played from a recording, or from a replay in the game; null in any
    /// other.
    /// </summary>
    IPlayback? Playback => null;

    /// <summary>
    /// Completes with the cause when a game that was started or joined is gone, whether or not anything was asked of it
    /// meanwhile; never fails. Asked for once <see cref="StartAsync"/> is done; of what needs no game it never completes.
    /// </summary>
    Task<GameException> Failed => Never;

#pragma warning disable CA1003 // Plain values, as those of HubEvents, which gets them.
    /// <summary>
    /// It is known what became of actions of somebody who commands this side's player and is no agent of the hub's, such
    /// as an unmodified bot; it was told before. Raised on the thread that heard of it: take it and return.
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

    /// <summary>Brings the match to where its first observation can be asked for.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>The first observation, then one for every step.</summary>
    /// <returns>A frame that the caller holds, or null when the match has ended.</returns>
    ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken);
}
