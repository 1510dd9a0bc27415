using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The protocol's messages on the socket of a shared-memory client.</summary>
/// <param name="socket">The caller disposes it.</param>
internal sealed class SharedMemoryChannel(FramedSocket socket) : IMessageChannel
{
    public string Transport => "shm";

    public MessageForm Form => MessageForm.Proto;

    public bool Compresses => false;

    public bool IsCall => false;

    public bool ClosesWithError => false;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayBuffer) =>
        await socket.ReadAsync(SessionLimits.LongestMessage, mayBuffer) is { } message ? SubProtocol.Proto.Read(message.Span) : null;

    public ValueTask WriteAsync(MessageSegments message, bool isCompressed) => socket.WriteAsync(message.Head, message.Body);

    public ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct) => ValueTask.CompletedTask;

    public ValueTask CloseAsync(uint? code, string reason) => socket.CloseAsync();

    public void Abort() => socket.Abort();
}
