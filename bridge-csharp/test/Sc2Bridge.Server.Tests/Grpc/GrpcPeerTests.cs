using System.Security.Cryptography;
using System.Text.Json;
using Google.Protobuf.Reflection;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Server.Tests;

/// <summary>Requirements for every gRPC client of other projects. The scenarios are in Peers/grpc.</summary>
[Trait("Suite", "Slow")]
public abstract class GrpcPeerTests
{
    [Fact]
    public async Task Calls_that_answer_once()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "describe");
        Assert.Equal("Cinder Fortress LE", found.GetProperty("map").GetString());
        Assert.Equal("Marine", found.GetProperty("unit").GetString());
    }

    [Theory]
    [Trait("ThirdParty", "real messages")]
    [InlineData("stream", false)]
    [InlineData("stream", true)]
    [InlineData("stream-gzip", false)]
    public async Task Every_observation_byte_for_byte(string scenario, bool unix)
    {
        var observations = Observations.AtHand();
        await using var match = await ServedMatch.StartAsync(unix);
        Prepare();
        var running = RunAsync(match, scenario);
        await SubscribedAsync(match, 1, running);
        List<string> hashes = [];
        foreach (var (_, bytes) in observations)
        {
            hashes.Add(Convert.ToHexStringLower(SHA256.HashData(bytes)));
            await match.PublishAsync(bytes);
        }

        match.End();
        var found = await running;
        Assert.Equal(hashes, Texts(found, "hashes"));
        Assert.Equal("END_REASON_FINISHED", found.GetProperty("end").GetString());
        Assert.Equal("OK", found.GetProperty("code").GetString());
    }

    [Fact]
    public async Task A_two_way_stream_in_lockstep()
    {
        await using var match = await ServedMatch.StartAsync();
        Prepare();
        var running = RunAsync(match, "play");
        await SubscribedAsync(match, 1, running);
        for (var step = 0u; step < 50; step++)
        {
            await match.StepAsync(step, 20_000);
        }

        await match.Hub.Publisher.SendActionsAsync(ServedMatch.Side, Ct);
        match.End();
        var found = await running;
        Assert.Equal(
            Enumerable.Range(0, 50).Select(step => $"[{step},1,0]"),
            found.GetProperty("told").EnumerateArray().Select(Compact));
        Assert.Equal(
            Enumerable.Range(0, 50).Select(step => (1ul << 40) + (ulong)step),
            match.Acted.Select(acted => acted.Actions.Single().ActionRaw.UnitCommand.UnitTags.Single()));
        Assert.Equal(
            Enumerable.Range(0, 50), found.GetProperty("steps").EnumerateArray().Select(step => step.GetInt32()));
        Assert.Equal("[12345,true]", Compact(found.GetProperty("clock")));
        Assert.Equal("END_REASON_FINISHED", found.GetProperty("end").GetString());
        Assert.Equal("OK", found.GetProperty("code").GetString());
    }

    [Fact]
    public async Task Errors_with_their_codes_and_messages()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "errors");
        Assert.Equal(["FAILED_PRECONDITION", ServedMatch.Refusal], Texts(found, "refused"));
        Assert.Equal("UNIMPLEMENTED", Texts(found, "method")[0]);
        Assert.Equal("UNIMPLEMENTED", Texts(found, "service")[0]);
        Assert.Equal("FAILED_PRECONDITION", Texts(found, "first")[0]);
        Assert.Equal("INTERNAL", Texts(found, "garbage")[0]);
    }

    [Fact]
    public async Task Sides_that_are_kept_apart()
    {
        var token = TokenStore.NewToken();
        var mine = new Identity("mine", Roles.Watch | Roles.Hold | Roles.Play, ServedMatch.Side);
        await using var match = await ServedMatch.StartAsync(
            apart: true, change: options => options with { Tokens = TokenStore.Empty.With(token, mine) });
        var found = await RunAsync(match, $"sides {token}");
        Assert.Equal(["OK", "OK"], Texts(found, "own"));
        foreach (var (kind, code, says) in ((string, string, string)[])
            [
                ("without", "UNAUTHENTICATED", "send the token of your side"),
                ("guessed", "UNAUTHENTICATED", "does not know your token"),
                ("others", "PERMISSION_DENIED", $"your token is player {ServedMatch.Side}'s"),
            ])
        {
            Assert.All(found.GetProperty(kind).EnumerateArray(), status =>
            {
                Assert.Equal(code, status[0].GetString());
                Assert.Contains(says, status[1].GetString(), StringComparison.Ordinal);
            });
        }
    }

    [Fact]
    public async Task A_deadline()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "deadline");
        Assert.Equal("DEADLINE_EXCEEDED", found.GetProperty("code").GetString());
        await match.WaitUntilNobodySubscribesAsync();
    }

    [Fact]
    public async Task A_cancelled_stream_frees_its_subscription()
    {
        await using var match = await ServedMatch.StartAsync();
        Prepare();
        var running = RunAsync(match, "cancel");
        await SubscribedAsync(match, 1, running);
        await match.PublishAsync(0);
        Assert.Equal("CANCELLED", (await running).GetProperty("code").GetString());
        await match.WaitUntilNobodySubscribesAsync();
    }

    [Fact]
    public async Task Health()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "health");
        Assert.Equal(
            """{"known":[1,1],"unknown":"NOT_FOUND","watched":[1,3]}""",
            found.GetRawText().Replace(" ", "", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Reflection()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "reflection");
        foreach (var version in (string[])["v1", "v1alpha"])
        {
            var answers = found.GetProperty(version);
            Assert.Equal(
                [
                    "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                    "grpc.reflection.v1alpha.ServerReflection", "sc2bridge.v1.BridgeService",
                ],
                Texts(answers, "services"));
            Assert.Equal("sc2bridge/v1/bridge.proto", answers.GetProperty("first").GetString());
            Assert.True(answers.GetProperty("whole").GetBoolean());
            Assert.Equal(5, answers.GetProperty("missing").GetInt32());
        }
    }

    [Fact]
    public async Task A_hundred_and_fifty_streams_at_once_on_one_connection()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 150 });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        Prepare();
        var running = RunAsync(match, "many");
        await SubscribedAsync(match, 150, running);
        await match.PublishAsync(0, 10_000);
        await match.PublishAsync(1, 10_000);
        match.End();
        Assert.Equal(
            Enumerable.Repeat(2, 150),
            (await running).GetProperty("frames").EnumerateArray().Select(count => count.GetInt32()));
    }

    /// <summary>Prepares the peer's environment, or skips the test with the reason.</summary>
    protected abstract void Prepare();

    /// <summary>Starts the peer.</summary>
    protected abstract Task<PeerResult> StartAsync(string address, string descriptors, string scenario);

    private protected async Task<JsonElement> RunAsync(ServedMatch match, string scenario)
    {
        Prepare();
        return (await StartAsync(match.Address, DescriptorFile(), scenario)).Json();
    }

    // The test must not wait for a peer that fails before it subscribes.
    private static string Compact(JsonElement json) => json.GetRawText().Replace(" ", "", StringComparison.Ordinal);

    private static async Task SubscribedAsync(ServedMatch match, int count, Task<JsonElement> running)
    {
        var subscribed = match.Hub.WaitForSubscribersAsync(count, Ct);
        if (await Task.WhenAny(subscribed, running) == running)
        {
            Assert.Fail($"The peer ended before it subscribed: {await running}");
        }

        await subscribed;
    }

    private protected static List<string> Texts(JsonElement found, string name) =>
        [.. found.GetProperty(name).EnumerateArray().Select(text => text.GetString()!)];

    private static string DescriptorFile()
    {
        var set = FileDescriptorSet.Parser.ParseFrom(File.ReadAllBytes(PeerEnvironment.DescriptorSetFile()));
        foreach (var descriptor in (FileDescriptor[])
            [
                Grpc.Health.V1.HealthReflection.Descriptor,
                Grpc.Reflection.V1.ReflectionReflection.Descriptor,
            ])
        {
            set.File.Add(FileDescriptorProto.Parser.ParseFrom(descriptor.SerializedData));
        }

        var file = Path.Combine(AppContext.BaseDirectory, $"grpc-{Guid.NewGuid():N}.binpb");
        File.WriteAllBytes(file, set.ToByteArray());
        return file;
    }
}
