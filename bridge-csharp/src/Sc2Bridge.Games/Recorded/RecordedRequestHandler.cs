using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>Runs a <see cref="RecordedGame"/> behind the server end: waits for the clock where it has to.</summary>
/// <param name="match">What is played; disposed with this.</param>
/// <param name="game">Plays it.</param>
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
