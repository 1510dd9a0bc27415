namespace Sc2Bridge.Server.Tests;

/// <summary>Messages that are too long, or whose objects would take too much memory.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class LongMessagesTests
{
    public static TheoryData<string> Transports { get; } = ["grpc", "json", "ws", "shm"];

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_long_message_that_a_session_would_keep_is_refused(string transport)
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);
        using var client = await AgentClient.ConnectAsync(match, transport);
        await client.SendAsync(new() { Subscribe = new() { MatchId = new string('m', 20_000) } });
        var refused = (await client.NextAsync())!.Error;
        Assert.Equal((StatusCode.InvalidArgument, true), (refused.Code, refused.Fatal));
        Assert.Contains("longer than 16384 bytes", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_message_of_any_kind_is_refused_by_the_memory_of_its_objects(string transport)
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);
        using var client = await AgentClient.ConnectAsync(match, transport);
        await client.SendAsync(new() { Actions = new() { Actions_ = { Enumerable.Repeat(new SC2APIProtocol.Action(), 600_000) } } });
        var refused = (await client.NextAsync())!.Error;
        Assert.Equal((StatusCode.ResourceExhausted, true), (refused.Code, refused.Fatal));
        Assert.Contains("takes more than 32 MiB of memory", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_of_any_kind_is_refused_by_the_memory_of_its_objects()
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);

        // Fields that the bridge does not know are objects, too.
        byte[] unknown = [.. Enumerable.Repeat<byte[]>([0x78, 1], 1_000_000).SelectMany(field => field)];
        var call = await RawCall.SendAsync(match, "Status", RawCall.Framed(unknown));
        Assert.Equal(Grpc.Core.StatusCode.ResourceExhausted, call.StatusCode);
        Assert.Contains("takes more than 32 MiB of memory", call.Detail, StringComparison.Ordinal);
    }
}
