using Grpc.Core;

namespace Sc2Bridge.Server.Tests;

/// <summary>A client of <c>Play</c> over gRPC, the WebSocket or shared memory.</summary>
internal sealed class AgentClient(
    Func<PlayRequest, Task> send, Func<Task<PlayResponse?>> receive, IDisposable[] owned) : IDisposable
{
    private bool _hasFailed;

    /// <summary>Connects over <c>grpc</c>, <c>json</c>, <c>ws</c> (binary), <c>shm</c>, <c>json+deflate</c> or <c>ws+deflate</c>.</summary>
    public static async Task<AgentClient> ConnectAsync(
        ServedMatch match, string transport, string token = "", bool answersClose = true)
    {
        switch (transport)
        {
            case "grpc":
                var client = match.Client();
                var call = client.Play(Shown(token), cancellationToken: Ct);
                return new(message => call.RequestStream.WriteAsync(message, Ct), () => NextAsync(call.ResponseStream), [call, client]);
            case "shm":
                var reader = await MemoryReader.ConnectAsync(match.Server.SharedMemoryAddress, token);
                return new(reader.SendAsync, () => TakeAsync(reader), [reader]);
            default:
                var agent = await AgentSocket.ConnectAsync(
                    $"ws://{match.Server.WebAddress}/v1{(token.Length > 0 ? $"?token={token}" : "")}",
                    transport.StartsWith("json", StringComparison.Ordinal) ? "sc2bridge.json.v1" : "sc2bridge.proto.v1",
                    options => options.DangerousDeflateOptions = transport.Contains("deflate") ? new WebSocketDeflateOptions() : null);
                agent.AnswersClose = answersClose;
                return new(agent.SendAsync, agent.NextAsync, [agent]);
        }
    }

    /// <summary>Makes one call on its own connection. Returns the refusal, or null.</summary>
    public static async Task<Error?> AskAsync(ServedMatch match, string transport, string token, PlayRequest request)
    {
        if (transport != "grpc")
        {
            using var asker = await ConnectAsync(match, transport, token);
            await asker.SendAsync(request);
            return (await asker.NextAsync())!.Error;
        }

        using var client = match.Client();
        var options = new CallOptions(Shown(token), cancellationToken: Ct);
        try
        {
            IMessage answer = request.MessageCase switch
            {
                PlayRequest.MessageOneofCase.CallGame => await client.CallGameAsync(request.CallGame, options),
                PlayRequest.MessageOneofCase.Control => await client.ControlAsync(request.Control, options),
                _ => await client.StatusAsync(request.Status, options),
            };
            Assert.NotNull(answer);
            return null;
        }
        catch (RpcException refused)
        {
            return ErrorOf(refused);
        }
    }

    private static Metadata Shown(string token) =>
        token.Length > 0 ? new() { { "authorization", $"Bearer {token}" } } : [];

    public Task SendAsync(PlayRequest message) => send(message);

    /// <summary>The next event after the answer to <c>subscribe</c>. Null after the last one.</summary>
    public async Task<PlayResponse?> ReceiveAsync()
    {
        var next = await NextAsync();
        return next?.Subscribe is null ? next : await NextAsync();
    }

    /// <summary>The next event. Null after the last one.</summary>
    public async Task<PlayResponse?> NextAsync()
    {
        var next = _hasFailed ? null : await receive();
        _hasFailed |= next?.Error is { Fatal: true };
        return next;
    }

    /// <summary>Subscribes as a player that gets every frame. Waits until the bridge has the subscription.</summary>
    public async Task SubscribeAsync(ServedMatch match, bool reportsTimes = true)
    {
        var before = match.Hub.Subscribers.Count;
        await SendAsync(new PlayRequest
        {
            Subscribe = new SubscribeRequest
            {
                Policy = Policy.Every,
                Overflow = Overflow.End,
                QueueBytes = 256 << 20,
                Perspective = ServedMatch.Side,
                CanAct = true,
                ReportsTimes = reportsTimes,
            },
        });
        await match.Hub.WaitForSubscribersAsync(before + 1, Ct);
    }

    public void Dispose() => Array.ForEach(owned, one => one.Dispose());

    // The error that ends a call, in the form of the other transports.
    private static async Task<PlayResponse?> NextAsync(IAsyncStreamReader<PlayResponse> events)
    {
        try
        {
            return await events.MoveNext(Ct) ? events.Current : null;
        }
        catch (RpcException ended) when (ended.StatusCode != Grpc.Core.StatusCode.OK && !Ct.IsCancellationRequested)
        {
            return new PlayResponse { Error = ErrorOf(ended) };
        }
    }

    private static Error ErrorOf(RpcException ended) =>
        new() { Code = (uint)ended.StatusCode, Message = ended.Status.Detail, Fatal = true };

    // Reports the frame as received, and releases its block.
    private static async Task<PlayResponse?> TakeAsync(MemoryReader reader)
    {
        var next = await reader.NextAsync();
        if (next?.Frame?.Shared is { } block)
        {
            await reader.TakeAsync(1, block.Offset);
        }

        return next;
    }
}
