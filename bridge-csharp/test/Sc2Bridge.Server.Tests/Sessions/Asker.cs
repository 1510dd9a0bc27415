using System.Collections.Concurrent;
using Grpc.Core;

namespace Sc2Bridge.Server.Tests;

/// <summary>A client with one connection and many requests at once: over gRPC as separate calls, otherwise as messages of one session.</summary>
internal sealed class Asker : IDisposable
{
    private readonly ConcurrentDictionary<uint, TaskCompletionSource<Error?>> _asked = new();
    private readonly AgentClient? _session;
    private readonly GrpcClient? _calls;
    private readonly CallOptions _options;
    private Task _sending = Task.CompletedTask;

    private Asker(AgentClient session)
    {
        _session = session;
        _ = ReadAsync(session);
    }

    private Asker(GrpcClient calls, string token)
    {
        _calls = calls;
        _options = new CallOptions(token.Length > 0 ? new() { { "authorization", $"Bearer {token}" } } : [], cancellationToken: Ct);
    }

    public static async Task<Asker> ConnectAsync(ServedMatch match, string transport, string token) =>
        transport == "grpc" ? new(match.Client(), token) : new(await AgentClient.ConnectAsync(match, transport, token));

    /// <summary>Sends the request to the game. Returns the refusal, or null.</summary>
    /// <param name="request">With a unique id.</param>
    public async Task<Error?> AskAsync(PlayRequest request)
    {
        if (_calls is null)
        {
            var answer = _asked.GetOrAdd(request.RequestId, _ => new(TaskCreationOptions.RunContinuationsAsynchronously));
            await (_sending = SendAfterAsync(_sending, request));
            return await answer.Task.WaitAsync(Ct);
        }

        try
        {
            await _calls.CallGameAsync(request.CallGame, _options);
            return null;
        }
        catch (RpcException refused)
        {
            return new Error { Code = (uint)refused.StatusCode, Message = refused.Status.Detail };
        }
    }

    public void Dispose()
    {
        _session?.Dispose();
        _calls?.Dispose();
    }

    private async Task SendAfterAsync(Task before, PlayRequest request)
    {
        await before;
        await _session!.SendAsync(request);
    }

    private async Task ReadAsync(AgentClient session)
    {
        while (await session.NextAsync() is { } answer)
        {
            _asked[answer.RequestId].SetResult(answer.Error);
        }
    }
}
