using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>How clients share the memory for requests and answers.</summary>
public sealed class RequestRoomTests
{
    private readonly MemoryLedger _ledger = new(MemoryLedger.LeastCeiling);
    private readonly RequestRoom _room;

    public RequestRoomTests() => _room = new RequestRoom(_ledger);

    [Theory]
    [InlineData(Roles.Watch)]
    [InlineData(Roles.Watch | Roles.Play)]
    public void What_one_client_leaves_unread_takes_no_room_that_others_need(Roles roles)
    {
        var (greedy, other) = (new Identity("greedy", roles), new Identity("other", roles));
        var first = NewConnection(greedy, new CallGameRequest());
        first.Answered(LongAnswer());

        // On any connection.
        Assert.Throws<RequestRefusedException>(() => NewConnection(greedy, Query()));
        var second = NewConnection(greedy, new CallGameRequest());
        var refused = Assert.Throws<RequestRefusedException>(() => second.Answered(LongAnswer()));
        Assert.Contains("clients that do not read them", refused.Message, StringComparison.Ordinal);
        var query = NewConnection(other, Query());
        Assert.NotNull(query.Answered(Query()));
        first.Dispose();
        Assert.NotNull(NewConnection(greedy, Query()));

        HeldRequest NewConnection(Identity who, IMessage request) => new ConnectionRequests(_room).Hold(who, request);
    }

    [Fact]
    public void When_others_hold_all_the_room_a_connection_has_a_little_for_all_its_answers()
    {
        using var greedy = Hold(new ConnectionRequests(_room));
        greedy.Answered(LongAnswer());
        using var next = Hold(new ConnectionRequests(_room));
        next.Answered(LongAnswer());
        var answer = new Response { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[12 << 10]) } };
        using var held = Hold(new ConnectionRequests(_room));
        Assert.Same(answer, held.Answered(answer));
        Assert.Throws<RequestRefusedException>(() => held.Answered(answer));
    }

    [Fact]
    public async Task Descriptions_wait_until_others_of_their_client_were_read()
    {
        var connection = new ConnectionRequests(_room);
        var (greedy, crowd) = (Hold(connection), Enumerable.Range(0, 100).Select(_ => Hold(connection)).ToList());
        greedy.Answered(LongAnswer());
        var description = new DescribeResponse { Match = new() { MapName = new string('m', 500_000) } };
        var given = 0;
        var described = crowd.Select(one => DescribeAsync(one)).ToList();
        Assert.Equal(0, given);
        greedy.Dispose();
        Assert.All(await Task.WhenAll(described), one => Assert.Same(description, one));
        Assert.Equal(0, _ledger.Total);

        async Task<DescribeResponse> DescribeAsync(HeldRequest held)
        {
            var written = await held.DescribedAsync(description, Ct);
            Interlocked.Increment(ref given);
            await Task.Yield();
            held.Dispose();
            return written;
        }
    }

    private static HeldRequest Hold(ConnectionRequests connection) => connection.Hold(Identity.Anonymous, new CallGameRequest());

    private static Response LongAnswer() => new() { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[4 << 20]) } };

    private static CallGameRequest Query() =>
        new() { Request = new() { Query = new() { Pathing = { Enumerable.Repeat(new RequestQueryPathing { StartPos = new(), EndPos = new() }, 2_500) } } } };
}
