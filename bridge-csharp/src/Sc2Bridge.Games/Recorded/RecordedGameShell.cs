using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Runs a <see cref="RecordedGame"/> behind the server end: waits for the clock where it has to.</summary>
/// <param name="match">What is played; disposed with this.</param>
/// <param name="game">Plays it.</param>
/// <param name="clock">The clock of real-time games.</param>
internal sealed class RecordedGameShell(PlayableRecording match, RecordedGame game, TimeProvider clock) : IRequestHandler
{
    // Loops of a step, and questions that are asked at once, from which on a request takes long.
    private const int LongStep = 20;
    private const int ManyQueries = 100;

    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);

    /// <inheritdoc/>
    public async ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        if (TakesLong(request))
        {
            await Task.Yield();
        }

        try
        {
            while (game.Answer(request, response, left) is { } rest)
            {
                // A timer may end a moment before the clock says so.
                await Task.Delay(rest > Shortest ? rest : Shortest, clock, left).ConfigureAwait(false);
            }

            return game.Status == Status.Quit ? RequestOutcome.Quit : RequestOutcome.Answered;
        }
        catch (OperationCanceledException) when (left.IsCancellationRequested)
        {
            return RequestOutcome.Abandoned;
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        game.Dispose();
        match.Dispose();
        return ValueTask.CompletedTask;
    }

    private static bool TakesLong(Request request) => request.Step is { Count: > LongStep }
        || (request.Query is { } query && query.Pathing.Count + query.Placements.Count > ManyQueries);
}
