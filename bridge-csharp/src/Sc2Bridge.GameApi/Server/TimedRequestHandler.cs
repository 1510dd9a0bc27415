using System.Buffers;
using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>Answers the requests of a game whose clock some of them wait for.</summary>
/// <param name="clock">The clock of real-time games.</param>
/// <param name="longStep">The loops of a step from which on a request takes long.</param>
public abstract class TimedRequestHandler(TimeProvider clock, int longStep) : IRequestHandler
{
    // Paths and the like that are asked for at once, from which on a request takes long.
    private const int ManyQueries = 100;

    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);

    /// <inheritdoc/>
    public virtual Task Failure { get; } = new TaskCompletionSource().Task;

    /// <inheritdoc/>
    public async ValueTask<RequestOutcome> AnswerAsync(
        Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (TakesLong(request))
        {
            await Task.Yield();
        }

        try
        {
            Begin(request, left);
            while (!TryFinish(request, response, left, out var wait))
            {
                await wait.ConfigureAwait(false);
            }

            return await FinishAsync(left).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (left.IsCancellationRequested)
        {
            Abandon();
            return RequestOutcome.Abandoned;
        }
    }

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

    /// <summary>A request has come; the one before it was finished or abandoned.</summary>
    protected virtual void Begin(Request request, CancellationToken left)
    {
    }

    /// <summary>Answers the request, where it can be by now.</summary>
    /// <param name="request">The one that was begun.</param>
    /// <param name="response">Takes the answer.</param>
    /// <param name="left">The client has gone.</param>
    /// <param name="wait">Where it cannot: completes when it may be otherwise.</param>
    protected abstract bool TryFinish(
        Request request, IBufferWriter<byte> response, CancellationToken left, out Task wait);

    /// <summary>The request is answered: what came of it.</summary>
    protected abstract ValueTask<RequestOutcome> FinishAsync(CancellationToken left);

    /// <summary>The client has gone before the request was answered.</summary>
    protected virtual void Abandon()
    {
    }

    /// <summary>Waits for the clock.</summary>
    /// <param name="rest">How long; null for ever.</param>
    /// <param name="left">The client has gone.</param>
    /// <remarks>A timer may end a moment before the clock says so: it is set for a millisecond at least.</remarks>
    protected Task DelayAsync(TimeSpan? rest, CancellationToken left) => rest is null
        ? Task.Delay(Timeout.Infinite, left)
        : Task.Delay(rest > Shortest ? rest.Value : Shortest, clock, left);

    private bool TakesLong(Request request) => request.Step?.Count > longStep
        || request.QuickLoad is not null
        || (request.Query is { } query
            && query.Pathing.Count + query.Abilities.Count + query.Placements.Count > ManyQueries);
}
