using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;
using Google.Protobuf;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves programs of the same user on this machine. These programs read frames from memory that they share with the bridge.
/// proto/README.md documents the messages on the socket.
/// </summary>
internal sealed class SharedMemoryServer : IAsyncDisposable
{
    // The bridge's first bytes are the name (_magic) and the version of the memory layout, and the memory's capacity.
    private const uint Version = 4;
    private const int LongestToken = 4096;

    private static readonly byte[] _magic = "sc2bshm\0"u8.ToArray();

    private readonly Socket _listener;
    private readonly SharedSegment _segment;
    private readonly SessionServices _services;
    private readonly Authentication _authentication;
    private readonly CancellationTokenSource _stopping = new();
    private readonly RunningTasks _sessions = new();
    private readonly Task _accepting;

    private SharedMemoryServer(
        string name, Socket listener, SharedSegment segment, SessionServices services, Authentication authentication)
    {
        Name = name;
        _listener = listener;
        _segment = segment;
        _services = services;
        _authentication = authentication;
        _accepting = AcceptAsync();
    }

    /// <summary>The name of the abstract socket, which has no file (unix(7)).</summary>
    public string Name { get; }

    /// <summary>The number of blocks of the shared memory that are in use.</summary>
    public int BlocksInUse => _segment.BlocksInUse;

    /// <summary>Starts to serve.</summary>
    /// <param name="name">See <see cref="Name"/>.</param>
    /// <param name="services">The services that all sessions share.</param>
    /// <param name="authentication">Identifies clients.</param>
    /// <exception cref="IOException">This system does not support the shared memory; the message has the reason.</exception>
    /// <exception cref="AddressInUseException">Another program uses the name.</exception>
    public static SharedMemoryServer Start(string name, SessionServices services, Authentication authentication)
    {
        if (services.Hub.Options.SidesApart)
        {
            throw new AddressException(
                "Shared memory would show each side the frames of the others, and this match keeps its sides apart: start without shared memory.");
        }

        var segment = SharedSegment.Create(Math.Min(SharedSegment.DefaultCapacity, services.Hub.Memory.Ceiling / 8));
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            listener.Bind(new UnixDomainSocketEndPoint($"\0{name}"));
            listener.Listen();
            return new SharedMemoryServer(name, listener, segment, services, authentication);
        }
        catch (SocketException problem)
        {
            listener.Dispose();
            segment.Dispose();
            throw problem.SocketErrorCode == SocketError.AddressAlreadyInUse
                ? new AddressInUseException($"shm:{name}", problem)
                : new AddressException($"Cannot listen on shm:{name}: {problem.Message}. Choose another name.", problem);
        }
    }

    /// <summary>Ends every session.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        _listener.Dispose();
        await _accepting;
        await _sessions.WaitAllAsync();
        _segment.Dispose();
        _stopping.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            try
            {
                var socket = await _listener.AcceptAsync(_stopping.Token);
                _sessions.Add(Task.Run(() => ServeAsync(socket)));
            }
            catch (Exception ending) when (ending is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                // The process has no free descriptor, or the client has disconnected. Wait briefly before the next accept.
                await Task.Delay(TimeSpan.FromMilliseconds(100), _stopping.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        using var framed = new FramedSocket(socket);
        try
        {
            if (!PeerSocket.IsSameUser(socket))
            {
                return;
            }

            using var connection = _services.Admission.TryEnterConnection(null, out var refusal);
            using var window = new SharedWindow(_segment);
            SendHello(socket);
            if (connection is null)
            {
                await RefuseAsync(framed, StatusCode.ResourceExhausted, refusal!.Message);
                return;
            }

            await ServeClientAsync(socket, framed, window);

            // The client may read its frames as long as its end of the socket is open.
            await framed.WaitUntilGoneAsync(_stopping.Token);
        }
        catch (Exception gone) when (gone is PeerGoneException or SocketException)
        {
            // The client has disconnected.
        }
#pragma warning disable CA1031 // The failure of one client must not end the others.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            ServerLog.SessionFailed(_services.Logger, problem, "shm", "");
        }
    }

    private async Task ServeClientAsync(Socket socket, FramedSocket framed, SharedWindow window)
    {
        using var request = _services.Admission.TryEnterRequest(null, out var refusal);
        if (request is null)
        {
            await RefuseAsync(framed, StatusCode.ResourceExhausted, refusal!.Message);
            return;
        }

        Identity identity;
        try
        {
            var token = await ReadTokenAsync(framed);
            identity = _authentication.Identify(token.Length == 0 ? null : token, allowsAnonymous: true);
        }
        catch (RequestRefusedException refused)
        {
            await RefuseAsync(framed, refused.Code, refused.Message);
            return;
        }

        // Accepts the client: sends an empty message with the descriptor of the shared memory.
        PeerSocket.SendFile(socket, stackalloc byte[sizeof(int)], _segment.Handle);
        var client = new SessionClient(identity, null, new ClientLimits(_services.Hub, null, 0).AdmitBeforeSubscription, Memory: window);
        using var session = new AgentSession(new SharedMemoryChannel(framed), client, _services);
        await session.RunAsync(_stopping.Token, CancellationToken.None);
    }

    private void SendHello(Socket socket)
    {
        Span<byte> hello = stackalloc byte[20];
        _magic.CopyTo(hello);
        BinaryPrimitives.WriteUInt32LittleEndian(hello[8..], Version);
        BinaryPrimitives.WriteInt64LittleEndian(hello[12..], _segment.Capacity);
        socket.Send(hello);
    }

    // The token is the client's first message. A token of more than LongestToken bytes is refused.
    private async Task<string> ReadTokenAsync(FramedSocket framed)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        timeout.CancelAfter(_services.Admission.Limits.IdleTimeout);
        using var _ = timeout.Token.UnsafeRegister(static framed => ((FramedSocket)framed!).Abort(), framed);
        return Encoding.UTF8.GetString((await framed.ReadAsync(LongestToken) ?? throw new PeerGoneException()).Span);
    }

    // Also reads the client's remaining messages. Otherwise the client's next write could fail before the client reads the reason.
    private async Task RefuseAsync(FramedSocket framed, uint code, string message)
    {
        var error = new V1.Error { Code = code, Message = ClientWriter.ToOneLine(message), Fatal = true };
        await framed.WriteAsync(default, new V1.PlayResponse { Error = error }.ToByteArray());
        await framed.CloseAsync();
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        timeout.CancelAfter(SessionLimits.CloseTimeout);
        await framed.WaitUntilGoneAsync(timeout.Token);
    }
}
