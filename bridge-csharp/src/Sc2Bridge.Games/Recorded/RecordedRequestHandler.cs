using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>Answers a server's requests with a <see cref="RecordedGame"/>. In a real-time game, the answer waits until the requested loop is due.</summary>
/// <param name="match">The recording. Disposed with this object.</param>
/// <param name="game">The game that plays the recording.</param>
/// <param name="clock">The clock of real-time games.</param>
internal sealed class RecordedRequestHandler(PlayableRecording match, RecordedGame game, TimeProvider clock)
    : TimedRequestHandler(clock, LongStep)
{
    private const int LongStep = 20;

    /// <inheritdoc/>
    public override ValueTask DisposeAsync()
    {
        game.Dispose();
        match.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    protected override bool TryFinish(
        Request request, IBufferWriter<byte> response, CancellationToken left, out Task wait)
    {
        var rest = game.Answer(request, response, left);
        wait = rest is null ? Task.CompletedTask : DelayAsync(rest, left);
        return rest is null;
    }

    /// <inheritdoc/>
    protected override ValueTask<RequestOutcome> FinishAsync(CancellationToken left) =>
        new(game.Status == Status.Quit ? RequestOutcome.Quit : RequestOutcome.Answered);
}
