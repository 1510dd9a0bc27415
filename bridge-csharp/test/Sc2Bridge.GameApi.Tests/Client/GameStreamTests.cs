using System.Net;
using System.Net.Sockets;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi.Tests.Client;

public sealed class GameStreamTests : IDisposable
{
    private readonly Socket _game;
    private readonly GameStream _stream;

    public GameStreamTests()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(listener.LocalEndPoint!);
        _game = listener.Accept();
        _stream = new GameStream(socket);
    }

    public void Dispose()
    {
        _stream.Dispose();
        _game.Dispose();
    }

    [Fact]
    public async Task What_is_sent_arrives_before_reads_block_and_after()
    {
        var bytes = new byte[4];
        await _game.SendAsync(new byte[] { 1, 2 }, Ct);
        await _stream.ReadExactlyAsync(bytes.AsMemory(0, 2), Ct);
        _stream.BlockReads();
        await _game.SendAsync(new byte[] { 3, 4 }, Ct);
        await _stream.ReadExactlyAsync(bytes.AsMemory(2, 2), Ct);
        Assert.Equal([1, 2, 3, 4], bytes);
    }

    [Fact]
    public async Task A_blocking_read_is_done_when_it_returns()
    {
        _stream.BlockReads();
        await _game.SendAsync(new byte[] { 7 }, Ct);
        var read = _stream.ReadAsync(new byte[8], Ct).AsTask();
        Assert.True(read.IsCompletedSuccessfully);
        Assert.Equal(1, await read);
    }

    [Fact]
    public async Task Many_bytes_are_written_though_the_game_reads_late()
    {
        var sent = new byte[16 << 20];
        Random.Shared.NextBytes(sent);
        _stream.BlockReads();
        var writing = _stream.WriteAsync(sent, Ct).AsTask();
        Assert.False(writing.IsCompleted); // More than any socket's buffer holds. The write waits without blocking a thread.
        var received = new byte[sent.Length];
        await using var game = new NetworkStream(_game);
        await game.ReadExactlyAsync(received, Ct);
        await writing;
        Assert.Equal(sent, received);
    }

    [Fact]
    public async Task Closing_lets_a_blocked_reader_go()
    {
        _stream.BlockReads();
        using var reading = new ManualResetEventSlim();
        var read = Task.Factory.StartNew(
            () =>
            {
                reading.Set();
                try
                {
                    return _stream.Read(new byte[8]);
                }
                catch (Exception closed) when (BrokenConnection.Is(closed))
                {
                    return 0;
                }
            },
            Ct, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        reading.Wait(Ct);
        _stream.Dispose();
        _stream.Dispose();
        Assert.Equal(0, await read.WaitAsync(TimeSpan.FromMinutes(1), Ct));
    }

    [Fact]
    public void A_game_that_closes_is_the_end_of_the_bytes()
    {
        _stream.BlockReads();
        _game.Shutdown(SocketShutdown.Both);
        Assert.Equal(0, _stream.Read(new byte[8]));
    }

    [Fact]
    public void A_broken_connection_is_an_io_exception()
    {
        _stream.BlockReads();
        _game.LingerState = new LingerOption(true, 0);
        _game.Close();
        Assert.ThrowsAny<IOException>(() => _stream.Read(new byte[8]));
    }
}
