using System.Buffers.Binary;
using System.Net.Sockets;
using Google.Protobuf;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Bench;

/// <summary>
/// A light reader of shared memory, as proto/README.md defines it: it reads the envelopes on the socket, and releases each
/// payload without mapping it.
/// </summary>
internal sealed class SharedMemoryReader : IDisposable
{
    private const uint Layout = 4;
    private const int LayoutAt = 8;
    private const int HelloLength = 20;
    private const int HeadLength = 4;
    private const uint Batch = 8;

    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly SharedProgress _progress = new();

    /// <summary>Subscribes without a token, and takes envelopes until it has enough.</summary>
    /// <param name="address"><c>shm:NAME</c>.</param>
    /// <param name="request">The subscription.</param>
    /// <param name="take">Takes one; false if it is the last.</param>
    /// <param name="ct">Gives up.</param>
    public async Task ReadAsync(string address, SubscribeRequest request, Func<byte[], bool> take, CancellationToken ct)
    {
        await _socket.ConnectAsync(new UnixDomainSocketEndPoint($"\0{address["shm:".Length..]}"), ct);
        var layout = BinaryPrimitives.ReadUInt32LittleEndian((await ReceiveAsync(HelloLength, ct)).AsSpan(LayoutAt));
        if (layout != Layout)
        {
            throw new CommandException($"the bridge's memory has layout {layout}, and this program reads layout {Layout}");
        }

        await SendAsync([], ct);
        await ReceiveAsync(HeadLength, ct); // It comes with the memory, which is not mapped.
        await SendAsync(new PlayRequest { Subscribe = request }.ToByteArray(), ct);
        byte[] message;
        do
        {
            var length = BinaryPrimitives.ReadInt32LittleEndian(await ReceiveAsync(HeadLength, ct));
            message = length < 0 ? throw new CommandException("the bridge closed") : await ReceiveAsync(length, ct);
            await ReleaseAsync(PlayResponse.Parser.ParseFrom(message).Frame, ct);
        }
        while (take(message));
    }

    public void Dispose() => _socket.Dispose();

    private async Task ReleaseAsync(Frame? frame, CancellationToken ct)
    {
        _progress.ReceivedFrames += frame is null ? 0u : 1u;
        if (frame?.Shared is { } shared)
        {
            _progress.ReleasedOffsets.Add(shared.Offset);
        }

        if (_progress.ReceivedFrames == Batch)
        {
            await SendAsync(new PlayRequest { SharedProgress = _progress }.ToByteArray(), ct);
            _progress.ReceivedFrames = 0;
            _progress.ReleasedOffsets.Clear();
        }
    }

    private async Task SendAsync(byte[] message, CancellationToken ct)
    {
        var framed = new byte[HeadLength + message.Length];
        BinaryPrimitives.WriteInt32LittleEndian(framed, message.Length);
        message.CopyTo(framed, HeadLength);
        await _socket.SendAsync(framed, ct);
    }

    private async Task<byte[]> ReceiveAsync(int count, CancellationToken ct)
    {
        var bytes = new byte[count];
        await using var stream = new NetworkStream(_socket);
        await stream.ReadExactlyAsync(bytes, ct);
        return bytes;
    }
}
