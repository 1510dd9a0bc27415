using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Server.Tests;

/// <summary>A client of shared memory that only uses the socket, because .NET cannot receive file descriptors from one.</summary>
internal sealed class MemoryReader(Socket socket) : IDisposable
{
    private const int HelloLength = 20;

    public static async Task<MemoryReader> ConnectAsync(string address, string token)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint($"\0{address["shm:".Length..]}"), Ct);
        var reader = new MemoryReader(socket);
        Assert.False(await reader.ReceiveFileAsync(HelloLength));
        await reader.SendAsync(Encoding.UTF8.GetBytes(token));
        return reader;
    }

    /// <summary>Reads this many bytes. Returns whether a file descriptor came with them.</summary>
    public async Task<bool> ReceiveFileAsync(int count)
    {
        await socket.ReceiveAsync(Memory<byte>.Empty, Ct);
        return Receive(count);
    }

    public Task SubscribeAsync(
        Policy policy, Overflow overflow = Overflow.Unspecified, ulong queueBytes = 0, Compression compression = Compression.Unspecified) =>
        SendAsync(new PlayRequest
        {
            Subscribe = new SubscribeRequest
            {
                Agent = "reader",
                Policy = policy,
                Overflow = overflow,
                QueueBytes = queueBytes,
                Compression = compression,
            },
        });

    public Task TakeAsync(uint frames, params ulong[] released) =>
        SendAsync(new PlayRequest { SharedProgress = new SharedProgress { ReceivedFrames = frames, ReleasedOffsets = { released } } });

    public Task SendAsync(PlayRequest message) => SendAsync(message.ToByteArray());

    public async Task SendAsync(byte[] message)
    {
        var framed = new byte[4 + message.Length];
        BinaryPrimitives.WriteInt32LittleEndian(framed, message.Length);
        message.CopyTo(framed, 4);
        await SendRawAsync(framed);
    }

    public async Task SendRawAsync(byte[] bytes) => await socket.SendAsync(bytes, Ct);

    /// <summary>Sends a close, and stays connected.</summary>
    public Task CloseAsync() => SendRawAsync([0xFF, 0xFF, 0xFF, 0xFF]);

    /// <summary>The next event after the answer to <c>subscribe</c>; null if the bridge has closed.</summary>
    public async Task<PlayResponse?> EventAsync()
    {
        var next = await NextAsync();
        return next?.Subscribe is null ? next : await NextAsync();
    }

    /// <summary>The next event; null if the bridge has closed. The empty message that brings the memory is skipped.</summary>
    public async Task<PlayResponse?> NextAsync()
    {
        var length = 0;
        while (length == 0)
        {
            length = await ReadAsync(4) is { } head ? BinaryPrimitives.ReadInt32LittleEndian(head) : -1;
        }

        return length > 0 ? PlayResponse.Parser.ParseFrom(await ReadAsync(length) ?? []) : null;
    }

    public async Task<Frame> FrameAsync() => (await EventAsync())?.Frame ?? throw new InvalidOperationException("no frame");

    public void Dispose() => socket.Dispose();

    [DllImport("libc", EntryPoint = "recvmsg", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern unsafe nint Receive(SafeHandle socket, nint* message, int flags);

    // The layouts of struct msghdr, iovec and cmsghdr on 64-bit Linux, as numbers.
    private unsafe bool Receive(int count)
    {
        var bytes = stackalloc byte[count];
        var control = stackalloc nint[3];
        var vector = stackalloc nint[] { (nint)bytes, count };
        var message = stackalloc nint[] { 0, 0, (nint)vector, 1, (nint)control, 3 * sizeof(nint), 0 };
        Assert.Equal(count, Receive(socket.SafeHandle, message, 0));
        using var file = message[5] == 0 ? null : new SafeFileHandle(*(int*)(control + 2), ownsHandle: true);
        return file is not null;
    }

    private async Task<byte[]?> ReadAsync(int count)
    {
        var bytes = new byte[count];
        for (var held = 0; held < count;)
        {
            var more = await socket.ReceiveAsync(bytes.AsMemory(held), Ct);
            if (more == 0)
            {
                return null;
            }

            held += more;
        }

        return bytes;
    }
}
