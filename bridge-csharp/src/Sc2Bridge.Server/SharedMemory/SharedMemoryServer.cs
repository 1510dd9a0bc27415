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
/// Serves programs of the same user on this machine, whose frames stand in memory that they share with the bridge;
/// proto/README.md says what travels on the socket beside it.
/// </summary>
internal sealed class SharedMemoryServer : IAsyncDisposable
{
    // What the bridge says first: the layout's name and version.
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

    /// <summary>Its name among the machine's sockets, which no file stands for (unix(7), abstract).</summary>
    public string Name { get; }

    /// <summary>Blocks that somebody holds.</summary>
    public int Held => _segment.Held;

    /// <summary>Begins to serve.</summary>
    /// <param name="name">See <see cref="Name"/>.</param>
    /// <param name="services">What all sessions share.</param>
    /// <param name="authentication">Says who a client is.</param>
    /// <exception cref="IOException">This system has no shared memory; the message says why.</exception>
    /// <exception cref="AddressInUseException">Another program has the name.</exception>
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
        await _sessions.EndAsync();
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
                // The process has no descriptor left, or the client has gone: the next is waited for, not at once.
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
            if (!PeerSocket.IsOwn(socket))
            {
                return;
            }

            using var connection = _services.Admission.Connection(null, out var refusal);
            using var window = new SharedWindow(_segment);
            Greet(socket);
            if (connection is null)
            {
                await RefuseAsync(framed, StatusCode.ResourceExhausted, refusal!.Message);
                return;
            }

            await ConverseAsync(socket, framed, window);

            // The client may read what it has for as long as its end is open.
            await framed.UntilGoneAsync(_stopping.Token);
        }
        catch (Exception gone) when (gone is PeerGoneException or SocketException)
        {
            // The client has gone.
        }
#pragma warning disable CA1031 // One client's failure is not the others'.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            ServerLog.SessionFailed(_services.Logger, problem, "shm", "");
        }
    }

    private async Task ConverseAsync(Socket socket, FramedSocket framed, SharedWindow window)
    {
        using var request = _services.Admission.Request(null, out var refusal);
        if (request is null)
        {
            await RefuseAsync(framed, StatusCode.ResourceExhausted, refusal!.Message);
            return;
        }

        Identity identity;
        try
        {
            var token = await TokenAsync(framed);
            identity = _authentication.Identify(token.Length == 0 ? null : token, allowsAnonymous: true);
        }
        catch (RequestRefusedException refused)
        {
            await RefuseAsync(framed, refused.Code, refused.Message);
            return;
        }

        // An empty message: an accepted client gets the memory with it.
        PeerSocket.SendFile(socket, stackalloc byte[sizeof(int)], _segment.Handle);
        var client = new SessionClient(identity, null, new ClientLimits(_services.Hub, null, 0).Admit, Memory: window);
        using var session = new AgentSession(new SharedMemoryChannel(framed), client, _services);
        await session.RunAsync(_stopping.Token, CancellationToken.None);
    }

    private void Greet(Socket socket)
    {
        Span<byte> hello = stackalloc byte[20];
        _magic.CopyTo(hello);
        BinaryPrimitives.WriteUInt32LittleEndian(hello[8..], Version);
        BinaryPrimitives.WriteInt64LittleEndian(hello[12..], _segment.Capacity);
        socket.Send(hello);
    }

    // The client's first message, in bounds that no token exceeds.
    private async Task<string> TokenAsync(FramedSocket framed)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        late.CancelAfter(_services.Admission.Limits.IdleTimeout);
        using var _ = late.Token.UnsafeRegister(static framed => ((FramedSocket)framed!).Abort(), framed);
        return Encoding.UTF8.GetString((await framed.ReadAsync(LongestToken) ?? throw new PeerGoneException()).Span);
    }

    // What the client still sends is read: its writing would fail before it reads why.
    private async Task RefuseAsync(FramedSocket framed, uint code, string message)
    {
        var error = new V1.Error { Code = code, Message = ClientWriter.OneLine(message), Fatal = true };
        await framed.WriteAsync(default, new V1.PlayResponse { Error = error }.ToByteArray());
        await framed.CloseAsync();
        using var late = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        late.CancelAfter(SessionLimits.CloseTimeout);
        await framed.UntilGoneAsync(late.Token);
    }
}
