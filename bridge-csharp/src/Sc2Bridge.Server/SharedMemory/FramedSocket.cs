using System.Buffers;
using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Whole messages on a Unix socket, each after its length (four bytes, little-endian). A length of -1 says that nothing follows.
/// The connection itself ends when the client needs no memory any more: see <see cref="UntilGoneAsync"/>. If it ends before,
/// reading and writing throw <see cref="PeerGoneException"/>.
/// </summary>
/// <param name="socket">Disposed with this.</param>
internal sealed class FramedSocket(Socket socket) : IDisposable
{
    private const int HeadLength = 4;
    private const int Closes = -1;
    private const int Small = 4096;
    private const int MostKept = 64 << 10;

    private readonly byte[] _in = new byte[Small];
    private readonly byte[] _out = new byte[Small];
    private readonly List<ArraySegment<byte>> _parts = [];
    private readonly CancellationTokenSource _over = new();
    private ArrayBufferWriter<byte> _message = new(Small);
    private int _start;
    private int _end;
    private volatile bool _isClosed;

    /// <summary>Ends what is under way; the client still says that it has gone by closing its end.</summary>
    public void Abort()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
        {
            // The client was first.
        }

        _ = _over.CancelAsync();
    }

    public void Dispose()
    {
        Abort();
        socket.Dispose();
        _over.Dispose();
    }

    /// <summary>Waits until no process has the client's end open any more; nothing that still comes is kept.</summary>
    /// <param name="ct">Gives up.</param>
    public async Task UntilGoneAsync(CancellationToken ct)
    {
        try
        {
            while (await socket.ReceiveAsync(_in.AsMemory(), SocketFlags.None, ct) > 0)
            {
            }
        }
        catch (Exception gone) when (gone is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // It has gone, or the bridge goes.
        }
    }

    /// <summary>Reads the next message.</summary>
    /// <param name="longest">The longest message to take, in bytes.</param>
    /// <param name="mayHold">Whether so many bytes of an unfinished message may be held. Called with 0 once it is whole.</param>
    /// <returns>Valid until the next call; null: nothing follows.</returns>
    /// <exception cref="RequestRefusedException">It is too long, or was not ended in time.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ReadOnlyMemory<byte>?> ReadAsync(int longest, Func<long, bool>? mayHold = null)
    {
        while (_end - _start < HeadLength)
        {
            if (!await FillAsync())
            {
                return null;
            }
        }

        var left = BinaryPrimitives.ReadInt32LittleEndian(_in.AsSpan(_start));
        _start += HeadLength;
        if (left == Closes)
        {
            return null;
        }

        if (left < 0 || left > longest)
        {
            throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLong(longest));
        }

        if (_message.Capacity > MostKept)
        {
            // One long message must not hold its megabytes for as long as the connection lasts.
            _message = new(Small);
        }

        _message.ResetWrittenCount();
        while (left > 0)
        {
            if (_start == _end && (mayHold?.Invoke(_message.WrittenCount) == false || !await FillAsync()))
            {
                throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.Unfinished);
            }

            var count = Math.Min(left, _end - _start);
            _message.Write(_in.AsSpan(_start, count));
            _start += count;
            left -= count;
        }

        mayHold?.Invoke(0);
        return _message.WrittenMemory;
    }

    /// <summary>Writes a message.</summary>
    /// <param name="head">Its first bytes.</param>
    /// <param name="body">All others.</param>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body)
    {
        if (!head.IsEmpty || body.Length > Small - HeadLength)
        {
            return WritePartsAsync(head, body);
        }

        BinaryPrimitives.WriteInt32LittleEndian(_out, body.Length);
        body.Span.CopyTo(_out.AsSpan(HeadLength));
        return WriteAllAsync(_out.AsMemory(0, HeadLength + body.Length));
    }

    /// <summary>Says that nothing follows. Reading ends, too.</summary>
    public async ValueTask CloseAsync()
    {
        BinaryPrimitives.WriteInt32LittleEndian(_out, Closes);
        await WriteAllAsync(_out.AsMemory(0, HeadLength));
        _isClosed = true;
        _ = _over.CancelAsync();
    }

    // In one call, which a stream's socket ends when all are sent.
    private async ValueTask WritePartsAsync(ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body)
    {
        try
        {
            BinaryPrimitives.WriteInt32LittleEndian(_out, head.Length + body.Length);
            _parts.Add(new ArraySegment<byte>(_out, 0, HeadLength));
            Add(head);
            Add(body);
            await socket.SendAsync(_parts, SocketFlags.None).WaitAsync(_over.Token);
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

    private void Add(ReadOnlyMemory<byte> part) => _parts.Add(MemoryMarshal.TryGetArray(part, out var array) ? array : part.ToArray());

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteAllAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None, _over.Token)..];
            }
        }
        catch (Exception gone) when (IsGone(gone))
        {
            throw new PeerGoneException(gone);
        }
    }

    // False after the close.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> FillAsync()
    {
        _in.AsSpan(_start, _end - _start).CopyTo(_in);
        (_start, _end) = (0, _end - _start);
        try
        {
            var count = await socket.ReceiveAsync(_in.AsMemory(_end), SocketFlags.None, _over.Token);
            _end += count > 0 ? count : throw new PeerGoneException();
            return true;
        }
        catch (Exception gone) when (IsGone(gone))
        {
            return _isClosed ? false : throw new PeerGoneException(gone);
        }
    }

    private static bool IsGone(Exception problem) => problem is SocketException or ObjectDisposedException or OperationCanceledException;
}
