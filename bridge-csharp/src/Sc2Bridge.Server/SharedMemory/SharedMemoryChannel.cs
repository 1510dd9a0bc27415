using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The protocol's messages on the socket that goes with shared memory.</summary>
/// <param name="socket">Its owner disposes it.</param>
internal sealed class SharedMemoryChannel(FramedSocket socket) : IMessageChannel
{
    public string Transport => "shm";

    public MessageForm Form => MessageForm.Proto;

    public bool Compresses => false;

    public bool IsCall => false;

    public bool ClosesWithError => false;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayHold) =>
        await socket.ReadAsync(SessionLimits.LongestMessage, mayHold) is { } message ? SubProtocol.Proto.Read(message.Span) : null;

    public ValueTask WriteAsync(MessageSegments message, bool isCompressed) => socket.WriteAsync(message.Head, message.Body);

    public ValueTask ClearAsync(Subscription subscription, CancellationToken ct) => ValueTask.CompletedTask;

    public ValueTask CloseAsync(uint? code, string reason) => socket.CloseAsync();

    public void Abort() => socket.Abort();
}
