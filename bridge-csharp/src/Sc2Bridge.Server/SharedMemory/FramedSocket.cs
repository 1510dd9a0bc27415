using System.Buffers;
using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Sends and receives whole messages on a Unix socket. Before each message comes its length (four bytes,
/// little-endian). A length of -1 means that no message follows. The client keeps the connection open as long as it
/// uses the shared memory: see <see cref="WaitUntilGoneAsync"/>. If the connection is lost, reading and writing throw
/// <see cref="PeerGoneException"/>.
/// </summary>
/// <param name="socket">Disposed with this object.</param>
internal sealed class FramedSocket(Socket socket) : IDisposable
{
    private const int HeadLength = 4;
    private const int CloseMark = -1;
    private const int BufferBytes = 4096;
    private const int MaxKeptCapacity = 64 << 10;

    private readonly byte[] _input = new byte[BufferBytes];
    private readonly byte[] _output = new byte[BufferBytes];
    private readonly List<ArraySegment<byte>> _parts = [];
    private readonly CancellationTokenSource _cancelled = new();
    private ArrayBufferWriter<byte> _message = new(BufferBytes);
    private int _unreadStart;
    private int _unreadEnd;
    private volatile bool _isClosed;

    /// <summary>
    /// Cancels pending reads and writes. The client may keep its end of the socket open, until it no longer needs the shared
    /// memory.
    /// </summary>
    public void Abort()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            // The client has already disconnected.
        }

        _ = _cancelled.CancelAsync();
    }

    public void Dispose()
    {
        Abort();
        socket.Dispose();
        _cancelled.Dispose();
    }

    /// <summary>Waits until no process has the client's end of the socket open. Discards bytes that still arrive.</summary>
    /// <param name="ct">Cancels the wait.</param>
    public async Task WaitUntilGoneAsync(CancellationToken ct)
    {
        try
        {
            while (await socket.ReceiveAsync(_input.AsMemory(), SocketFlags.None, ct) > 0)
            {
            }
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The client has disconnected, or the bridge stops.
        }
    }

    /// <summary>Reads the next message.</summary>
    /// <param name="longest">The longest allowed message, in bytes.</param>
    /// <param name="mayBuffer">
    /// Returns whether a given number of bytes of an unfinished message may be kept. Also called with 0 when the message is complete.
    /// </param>
    /// <returns>The message, valid until the next call; null if no message follows.</returns>
    /// <exception cref="RequestRefusedException">The message is too long, or did not arrive in time.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ReadOnlyMemory<byte>?> ReadAsync(int longest, Func<long, bool>? mayBuffer = null)
    {
        while (_unreadEnd - _unreadStart < HeadLength)
        {
            if (!await FillAsync())
            {
                return null;
            }
        }

        var remaining = BinaryPrimitives.ReadInt32LittleEndian(_input.AsSpan(_unreadStart));
        _unreadStart += HeadLength;
        if (remaining == CloseMark)
        {
            return null;
        }

        if (remaining < 0 || remaining > longest)
        {
            throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLongMessage(longest));
        }

        if (_message.Capacity > MaxKeptCapacity)
        {
            // One long message must not keep megabytes in use until the connection ends.
            _message = new(BufferBytes);
        }

        _message.ResetWrittenCount();
        while (remaining > 0)
        {
            if (_unreadStart == _unreadEnd && (mayBuffer?.Invoke(_message.WrittenCount) == false || !await FillAsync()))
            {
                throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.NotCompletedMessage);
            }

            var count = Math.Min(remaining, _unreadEnd - _unreadStart);
            _message.Write(_input.AsSpan(_unreadStart, count));
            _unreadStart += count;
            remaining -= count;
        }

        mayBuffer?.Invoke(0);
        return _message.WrittenMemory;
    }

    /// <summary>Writes a message.</summary>
    /// <param name="head">The first bytes.</param>
    /// <param name="body">The remaining bytes.</param>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body)
    {
        if (!head.IsEmpty || body.Length > BufferBytes - HeadLength)
        {
            return WritePartsAsync(head, body);
        }

        BinaryPrimitives.WriteInt32LittleEndian(_output, body.Length);
        body.Span.CopyTo(_output.AsSpan(HeadLength));
        return WriteAllAsync(_output.AsMemory(0, HeadLength + body.Length));
    }

    /// <summary>Sends the close (no message follows), and ends reading.</summary>
    public async ValueTask CloseAsync()
    {
        BinaryPrimitives.WriteInt32LittleEndian(_output, CloseMark);
        await WriteAllAsync(_output.AsMemory(0, HeadLength));
        _isClosed = true;
        _ = _cancelled.CancelAsync();
    }

    // Sends all parts in one call. On a stream socket, the call completes when all bytes are sent.
    private async ValueTask WritePartsAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body)
    {
        try
        {
            BinaryPrimitives.WriteInt32LittleEndian(_output, head.Length + body.Length);
            _parts.Add(new ArraySegment<byte>(_output, 0, HeadLength));
            AddPart(head);
            AddPart(body);
            await socket.SendAsync(_parts, SocketFlags.None).WaitAsync(_cancelled.Token);
        }
        catch (Exception gone) when (IsGone(gone))
        {
            throw new PeerGoneException(gone);
        }
        finally
        {
            _parts.Clear();
        }
    }

    private void AddPart(ReadOnlyMemory<byte> part) => _parts.Add(MemoryMarshal.TryGetArray(part, out var array) ? array : part.ToArray());

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteAllAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None, _cancelled.Token)..];
            }
        }
        catch (Exception gone) when (IsGone(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    // Reads more bytes into _input. Returns false after the bridge's close.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> FillAsync()
    {
        _input.AsSpan(_unreadStart, _unreadEnd - _unreadStart).CopyTo(_input);
        (_unreadStart, _unreadEnd) = (0, _unreadEnd - _unreadStart);
        try
        {
            var count = await socket.ReceiveAsync(_input.AsMemory(_unreadEnd), SocketFlags.None, _cancelled.Token);
            _unreadEnd += count > 0 ? count : throw new PeerGoneException();
            return true;
        }
        catch (Exception gone) when (IsGone(gone))
        {
            return _isClosed ? false : throw new PeerGoneException(gone);
        }
    }

    private static bool IsGone(Exception problem) => problem is SocketException or ObjectDisposedException or OperationCanceledException;
}
