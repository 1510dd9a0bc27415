using System.Collections.Concurrent;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A game that answers its requests in order, each when the test allows it.</summary>
internal sealed class HeldGame : IGameRequests
{
    private readonly ConcurrentQueue<(Request Request, TaskCompletionSource<Response> Answer)> _waiting = new();
    private int _given;

    /// <summary>The number of requests so far.</summary>
    public int Given => Volatile.Read(ref _given);

    /// <summary>The requests without an answer, oldest first.</summary>
    public IReadOnlyList<Request> Waiting => [.. _waiting.Select(one => one.Request)];

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        var answer = new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting.Enqueue((request, answer));
        Interlocked.Increment(ref _given);
        return answer.Task.WaitAsync(ct);
    }

    /// <summary>Answers the oldest request.</summary>
    public void Answer(Response? response = null)
    {
        Assert.True(_waiting.TryDequeue(out var oldest));
        oldest.Answer.SetResult(response ?? new Response { Query = new ResponseQuery() });
    }
}
