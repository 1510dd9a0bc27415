using System.Buffers;
using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>Answers the requests of a game. Some requests wait for the game's clock.</summary>
/// <param name="clock">The clock of real-time games.</param>
/// <param name="longStep">The largest step, in game loops, that is answered without first yielding the thread.</param>
public abstract class TimedRequestHandler(TimeProvider clock, int longStep) : IRequestHandler
{
    // A request with more queries than this (paths, abilities and placements together) counts as long.
    private const int ManyQueries = 100;

    private static readonly TimeSpan ShortestDelay = TimeSpan.FromMilliseconds(1);

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

    /// <summary>Begins a request. The previous request was finished or abandoned.</summary>
    protected virtual void Begin(Request request, CancellationToken left)
    {
    }

    /// <summary>Answers the request if that is possible now.</summary>
    /// <param name="request">The request that was begun.</param>
    /// <param name="response">Receives the answer.</param>
    /// <param name="left">Cancelled when the client has disconnected.</param>
    /// <param name="wait">If the method returns false, a task that completes when the next call may succeed.</param>
    protected abstract bool TryFinish(
        Request request, IBufferWriter<byte> response, CancellationToken left, out Task wait);

    /// <summary>Ends an answered request, and returns its result.</summary>
    protected abstract ValueTask<RequestOutcome> FinishAsync(CancellationToken left);

    /// <summary>Called when the client has disconnected before the answer.</summary>
    protected virtual void Abandon()
    {
    }

    /// <summary>Waits for the clock.</summary>
    /// <param name="delay">How long to wait; null for a wait without an end.</param>
    /// <param name="left">Cancelled when the client has disconnected.</param>
    /// <remarks>A timer may end slightly too early. The caller then waits again, and each timer runs for at least a millisecond.</remarks>
    protected Task DelayAsync(TimeSpan? delay, CancellationToken left) => delay is null
        ? Task.Delay(Timeout.Infinite, left)
        : Task.Delay(delay > ShortestDelay ? delay.Value : ShortestDelay, clock, left);

    private bool TakesLong(Request request) => request.Step?.Count > longStep
        || request.QuickLoad is not null
        || (request.Query is { } query
            && query.Pathing.Count + query.Abilities.Count + query.Placements.Count > ManyQueries);
}
