using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The least that can be done: a blocking socket that writes the framed bytes.</summary>
internal sealed class RawTcpTarget : IDeliveryTarget
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly PinnedFrames _frames;

    public RawTcpTarget(MeasuredFrames frames)
    {
        _frames = new PinnedFrames(frames);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Address = _listener.LocalEndPoint!.ToString()!;
    }

    public string Name => "raw TCP";

    public string Transport => "raw";

    public string Address { get; }

    public bool HasLockstep => true;

    public string? Peer => null;

    public async Task ServeAsync(Phase phase, CancellationToken ct)
    {
        using var client = await _listener.AcceptAsync(ct);
        client.NoDelay = true;
        // Blocking calls on a thread of its own: no hop from the socket to the one who waits.
        await Task.Factory.StartNew(
            () => Serve(client, phase), ct, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }

    private void Serve(Socket client, Phase phase)
    {
        Span<byte> message = stackalloc byte[1024];
        Receive(client, message); // the subscription
        if (phase.Lockstep)
        {
            Send(client);
            for (var sent = 1; sent < phase.Frames; sent++)
            {
                Receive(client, message);
                Send(client);
            }
        }
        else
        {
            Pacer.RunAsync(phase.Frames, phase.Rate, () => { Send(client); return ValueTask.CompletedTask; }, default)
                .GetAwaiter().GetResult();
        }
    }

    private void Send(Socket client)
    {
        var rest = _frames.NextGrpcMessage().Span;
        while (rest.Length > 0)
        {
            rest = rest[client.Send(rest)..];
        }
    }

    private static void Receive(Socket client, Span<byte> message)
    {
        var held = 0;
        while (held < 5 || held < 5 + BinaryPrimitives.ReadInt32BigEndian(message[1..]))
        {
            var received = client.Receive(message[held..]);
            held += received > 0 ? received : throw new MeasuringException("the raw client went away");
        }
    }
}
