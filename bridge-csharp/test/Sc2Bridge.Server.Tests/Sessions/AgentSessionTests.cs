using Sc2Bridge.Encodings.Payloads;

namespace Sc2Bridge.Server.Tests;

/// <summary>The effects of exceptions on a session.</summary>
public sealed class AgentSessionTests
{
    public static TheoryData<string> Defects { get; } =
        [nameof(ObjectDisposedException), nameof(IOException), nameof(InvalidOperationException), nameof(OperationCanceledException)];

    [Theory]
    [MemberData(nameof(Defects))]
    public async Task A_defect_while_reading_is_logged_and_the_game_does_not_wait_for_its_agent(string defect)
    {
        await using var served = new Served();
        var channel = new ScriptedChannel();
        var session = served.ServeAsync(channel);
        channel.Say(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
        await served.Match.Hub.WaitForSubscribersAsync(1, Ct);
        var published = served.Match.PublishAsync(0);
        channel.Say(() => throw Defect(defect));
        await published.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        await session.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        AssertFailed(served, channel);
    }

    [Theory]
    [MemberData(nameof(Defects))]
    public async Task A_defect_while_writing_is_logged_and_ends_the_session(string defect)
    {
        await using var served = new Served();
        var channel = new ScriptedChannel { OnFrame = () => throw Defect(defect) };
        var session = served.ServeAsync(channel);
        channel.Say(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
        await served.Match.Hub.WaitForSubscribersAsync(1, Ct);
        await served.Match.PublishAsync(0).WaitAsync(TimeSpan.FromMinutes(1), Ct);
        await session.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        AssertFailed(served, channel);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_that_has_gone_is_not_reported(bool whileReading)
    {
        await using var served = new Served();
        var channel = new ScriptedChannel { OnFrame = () => throw new PeerGoneException() };
        var session = served.ServeAsync(channel);
        channel.Say(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
        await served.Match.Hub.WaitForSubscribersAsync(1, Ct);
        if (whileReading)
        {
            channel.Say(() => throw new PeerGoneException());
        }
        else
        {
            await served.Match.PublishAsync(0).WaitAsync(TimeSpan.FromMinutes(1), Ct);
        }

        await session.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        Assert.True(channel.IsAborted);
        Assert.Empty(served.Log.Entries);
        Assert.Empty(served.Match.Hub.Subscribers);
    }

    [Fact]
    public async Task A_message_that_cannot_be_handled_after_the_close_ends_the_session()
    {
        await using var served = new Served();
        var channel = new ScriptedChannel();
        channel.Say(() => throw new RequestRefusedException(StatusCode.InvalidArgument, "the first"));
        channel.Say(() => throw new RequestRefusedException(StatusCode.InvalidArgument, "the second"));
        channel.Say(() => throw new InvalidOperationException("a defect"));
        await served.ServeAsync(channel).WaitAsync(TimeSpan.FromMinutes(1), Ct);
        Assert.Equal("the first", channel.Failure?.Message);
    }

    private static Exception Defect(string name) => name switch
    {
        nameof(ObjectDisposedException) => new ObjectDisposedException("ObservationFrame"),
        nameof(IOException) => new IOException("a defect"),
        nameof(OperationCanceledException) => new OperationCanceledException("a defect"),
        _ => new InvalidOperationException("a defect"),
    };

    private static void AssertFailed(Served served, ScriptedChannel channel)
    {
        Assert.Equal(StatusCode.Internal, channel.Failure?.Code);
        Assert.StartsWith("The bridge failed: ", channel.Failure?.Message, StringComparison.Ordinal);
        var entry = Assert.Single(served.Log.Entries);
        Assert.Equal("The session of agent 'agent' over test failed", entry.Text);
        Assert.Contains(nameof(ScriptedChannel), entry.Exception?.StackTrace, StringComparison.Ordinal);
        Assert.Empty(served.Match.Hub.Subscribers);
    }

    private sealed class Served : IAsyncDisposable
    {
        private readonly ConnectionAdmission _admission = new();

        public TestMatch Match { get; } = new();

        public KeptLog Log { get; } = new();

        public async Task ServeAsync(ScriptedChannel channel)
        {
            var hub = Match.Hub;
            using var session = new AgentSession(
                channel,
                new SessionClient(Identity.Anonymous, null, () => { }),
                new SessionServices(
                    hub, new BridgeCalls(hub, new StatusOfBridge(hub, null)), new SharedCompression(hub.Memory), _admission,
                    new RequestRoom(hub.Memory), TimeSpan.FromMinutes(5), Log));
            await session.RunAsync(CancellationToken.None, CancellationToken.None);
        }

        public ValueTask DisposeAsync()
        {
            Match.Dispose();
            _admission.Dispose();
            Log.Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
