using System.Buffers;
using System.Buffers.Binary;
using System.ComponentModel;
using System.IO.MemoryMappedFiles;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Microsoft.Win32.SafeHandles;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Bench;

/// <summary>A subscriber of shared memory in C#, as proto/README.md has it: what is received is read where it stands.</summary>
internal sealed class SharedMemoryReader : IDisposable
{
    // The layout of the bridge's first bytes, and of the memory.
    private const uint Layout = 4;
    private const int HelloLength = 20;
    private const int LayoutAt = 8;
    private const int LengthAt = 12;
    private const int HeadLength = 4;

    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly SharedProgress _progress = new();
    private uint _batch;
    private byte[] _buffer = new byte[4096];
    private MemoryMappedFile? _file;
    private MemoryMappedViewAccessor? _view;
    private nint _memory;
    private long _length;

    /// <summary>Connects, without a token.</summary>
    /// <param name="address"><c>shm:NAME</c>.</param>
    /// <param name="ct">Gives up.</param>
    public async Task ConnectAsync(string address, CancellationToken ct)
    {
        await _socket.ConnectAsync(new UnixDomainSocketEndPoint($"\0{address["shm:".Length..]}"), ct);
        await FillAsync(HelloLength, ct);
        var layout = BinaryPrimitives.ReadUInt32LittleEndian(_buffer.AsSpan(LayoutAt));
        if (layout != Layout)
        {
            throw new CommandException($"the bridge's memory has layout {layout}, and this program reads layout {Layout}");
        }

        _length = BinaryPrimitives.ReadInt64LittleEndian(_buffer.AsSpan(LengthAt));
        await SendAsync([], ct);
        await _socket.ReceiveAsync(Memory<byte>.Empty, ct); // Until the memory is there: what maps it does not wait.
        Map();
    }

    /// <summary>Subscribes, once.</summary>
    public Task SubscribeAsync(SubscribeRequest request, CancellationToken ct)
    {
        // Under latest the next frame waits until the one before has been taken.
        _batch = request.Policy == Policy.Latest ? 1u : 8u;
        return SendAsync(new PlayRequest { Subscribe = request }, ct);
    }

    /// <summary>Takes messages until it has enough: a frame's payload follows its envelope as if it had been sent.</summary>
    public async Task ReadAsync(Func<ReadOnlySequence<byte>, bool> take, CancellationToken ct)
    {
        while (true)
        {
            await FillAsync(HeadLength, ct);
            var length = BinaryPrimitives.ReadInt32LittleEndian(_buffer);
            if (length < 0)
            {
                throw new CommandException("the bridge closed");
            }

            await FillAsync(length, ct);
            if (!take(Whole(_buffer.AsMemory(0, length))))
            {
                return;
            }

            if (_progress.ReceivedFrames == _batch)
            {
                await SendAsync(new PlayRequest { SharedProgress = _progress }, ct);
                _progress.ReceivedFrames = 0;
                _progress.ReleasedOffsets.Clear();
            }
        }
    }

    public void Dispose()
    {
        if (_memory != 0)
        {
            _view!.SafeMemoryMappedViewHandle.ReleasePointer();
        }

        _view?.Dispose();
        _file?.Dispose();
        _socket.Dispose();
    }

    [DllImport("libc", EntryPoint = "recvmsg", ExactSpelling = true, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern unsafe nint Receive(SafeHandle socket, nint* message, int flags);

    // struct msghdr, iovec and cmsghdr of 64-bit Linux, as numbers: the file's stands behind the control message's head.
    private unsafe void Map()
    {
        var head = stackalloc byte[HeadLength];
        var control = stackalloc nint[3];
        var vector = stackalloc nint[] { (nint)head, HeadLength };
        var message = stackalloc nint[] { 0, 0, (nint)vector, 1, (nint)control, 3 * sizeof(nint), 0 };
        if (Receive(_socket.SafeHandle, message, 0) != HeadLength || message[5] < 2 * sizeof(nint))
        {
            throw new CommandException($"the bridge shares no memory: {new Win32Exception(Marshal.GetLastPInvokeError()).Message}");
        }

        _file = MemoryMappedFile.CreateFromFile(
            new SafeFileHandle(*(int*)(control + 2), ownsHandle: true), null, _length, MemoryMappedFileAccess.Read,
            HandleInheritability.None, leaveOpen: false);
        _view = _file.CreateViewAccessor(0, _length, MemoryMappedFileAccess.Read);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _memory = (nint)start;
    }

    // Of a field that comes twice the last one counts, so that the payload may follow as another event.
    private ReadOnlySequence<byte> Whole(ReadOnlyMemory<byte> message)
    {
        var frame = PlayResponse.Parser.ParseFrom(message.Span).Frame;
        _progress.ReceivedFrames += frame is null ? 0u : 1u;
        if (frame?.Shared is not { } shared)
        {
            return new(message);
        }

        if (shared.Offset + shared.Length > (ulong)_length)
        {
            throw new CommandException($"the bridge names memory that there is not, at {shared.Offset}");
        }

        _progress.ReleasedOffsets.Add(shared.Offset);
        var head = new byte[12];
        using var output = new CodedOutputStream(head);
        var field = WireFormat.MakeTag(Frame.ObservationFieldNumber, WireFormat.WireType.LengthDelimited);
        output.WriteTag(PlayResponse.FrameFieldNumber, WireFormat.WireType.LengthDelimited);
        output.WriteLength(CodedOutputStream.ComputeRawVarint32Size(field) + CodedOutputStream.ComputeLengthSize((int)shared.Length) + (int)shared.Length);
        output.WriteRawTag((byte)field);
        output.WriteLength((int)shared.Length);
        output.Flush();
        var first = new Segment(message, 0);
        var last = first.Then(head.AsMemory(0, (int)output.Position))
            .Then(new NativeBytes(_memory + (nint)shared.Offset, (int)shared.Length).Memory);
        return new ReadOnlySequence<byte>(first, 0, last, (int)shared.Length);
    }

    private Task SendAsync(PlayRequest message, CancellationToken ct) => SendAsync(message.ToByteArray(), ct);

    private async Task SendAsync(byte[] message, CancellationToken ct)
    {
        var framed = new byte[HeadLength + message.Length];
        BinaryPrimitives.WriteInt32LittleEndian(framed, message.Length);
        message.CopyTo(framed, HeadLength);
        await _socket.SendAsync(framed, ct);
    }

    private async Task FillAsync(int count, CancellationToken ct)
    {
        if (_buffer.Length < count)
        {
            _buffer = new byte[count];
        }

        for (var held = 0; held < count;)
        {
            var more = await _socket.ReceiveAsync(_buffer.AsMemory(held, count - held), ct);
            held += more > 0 ? more : throw new CommandException("the bridge is gone");
        }
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> bytes, long before) => (Memory, RunningIndex) = (bytes, before);

        public Segment Then(ReadOnlyMemory<byte> bytes)
        {
            var next = new Segment(bytes, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }

    private sealed unsafe class NativeBytes(nint start, int length) : MemoryManager<byte>
    {
        public override Span<byte> GetSpan() => new((void*)start, length);

        public override MemoryHandle Pin(int elementIndex = 0) => new((void*)(start + elementIndex));

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
