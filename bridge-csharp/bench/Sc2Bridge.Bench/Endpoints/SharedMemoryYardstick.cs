using System.Buffers.Binary;
using System.Net.Sockets;
using Sc2Bridge.Encodings.SharedMemory;

namespace Sc2Bridge.Bench;

/// <summary>
/// The least that can be done with shared memory: the message is copied into it, and its place is written to a Unix socket, which
/// wakes the client; blocking calls, as with the raw socket.
/// </summary>
internal sealed class SharedMemoryYardstick : IDisposable
{
    private const int PathLength = 64;

    // A client that is not asked for answers is no further behind.
    private const int Kept = 64;

    private readonly SharedSegment _segment = SharedSegment.Create();
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly Action<YardstickClient> _connected;

    /// <param name="connected">Gets each client that has subscribed.</param>
    public SharedMemoryYardstick(Action<YardstickClient> connected)
    {
        _connected = connected;
        _listener.Bind(new UnixDomainSocketEndPoint($"\0{Name}"));
        _listener.Listen();
        _ = YardstickServer.AcceptAsync(_listener, Serve);
    }

    /// <summary>The socket's name, without a file.</summary>
    public string Name { get; } = $"sc2bridge-yardstick-{Environment.ProcessId}";

    public void Dispose()
    {
        _listener.Dispose();
        _segment.Dispose();
    }

    private void Serve(Socket socket)
    {
        var sent = new Queue<SharedBlock>();
        var place = new byte[16];
        var answer = new byte[1];
        var path = $"/proc/{Environment.ProcessId}/fd/{_segment.Handle.DangerousGetHandle()}";
        socket.Send(System.Text.Encoding.ASCII.GetBytes(path.PadRight(PathLength)));
        socket.Receive(answer);
        _connected(new YardstickClient(null, Send, Receive, Leave));

        ValueTask Send(ReadOnlyMemory<byte> message)
        {
            if (sent.Count == Kept)
            {
                sent.Dequeue().Release();
            }

            var block = _segment.Write(message.Span);
            sent.Enqueue(block);
            BinaryPrimitives.WriteInt64LittleEndian(place, block.Offset);
            BinaryPrimitives.WriteInt64LittleEndian(place.AsSpan(8), block.Length);
            socket.Send(place);
            return default;
        }

        ValueTask Receive() =>
            socket.Receive(answer) > 0 ? default : throw new IOException("the client went away");

        void Leave()
        {
            socket.Dispose();
            foreach (var block in sent)
            {
                block.Release();
            }
        }
    }
}
