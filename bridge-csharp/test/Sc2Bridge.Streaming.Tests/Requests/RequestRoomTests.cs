using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>How clients share the memory limit for requests and answers.</summary>
public sealed class RequestRoomTests
{
    private readonly MemoryLedger _ledger = new(MemoryLedger.LeastCeiling);
    private readonly RequestRoom _room;

    public RequestRoomTests() => _room = new RequestRoom(_ledger);

    [Theory]
    [InlineData(Roles.Watch)]
    [InlineData(Roles.Watch | Roles.Play)]
    public void Unread_answers_of_one_client_leave_room_for_others(Roles roles)
    {
        var (greedy, other) = (new Identity("greedy", roles), new Identity("other", roles));
        var first = NewConnection(greedy, new CallGameRequest());
        first.ChargeAnswer(LongAnswer());

        // A second connection of the same client is refused too.
        Assert.Throws<RequestRefusedException>(() => NewConnection(greedy, Query()));
        var second = NewConnection(greedy, new CallGameRequest());
        var refused = Assert.Throws<RequestRefusedException>(() => second.ChargeAnswer(LongAnswer()));
        Assert.Contains("clients that do not read them", refused.Message, StringComparison.Ordinal);
        var query = NewConnection(other, Query());
        Assert.NotNull(query.ChargeAnswer(Query()));
        first.Dispose();
        Assert.NotNull(NewConnection(greedy, Query()));

        HeldRequest NewConnection(Identity who, IMessage request) => new ConnectionRequests(_room).Hold(who, request);
    }

    [Fact]
    public void When_others_hold_all_the_room_a_connection_has_a_little_for_all_its_answers()
    {
        var answers = LongAnswer();
        var greedy = new List<HeldRequest>();
        do
        {
            greedy.Add(Hold(new ConnectionRequests(_room)));
        }
        while (Record.Exception(() => greedy[^1].ChargeAnswer(answers)) is null);
        Assert.InRange(greedy.Count, 10, 40);

        var answer = new Response { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[12 << 10]) } };
        var held = Hold(new ConnectionRequests(_room));
        Assert.Same(answer, held.ChargeAnswer(answer));
        Assert.Throws<RequestRefusedException>(() => held.ChargeAnswer(answer));
        held.Dispose();
        greedy.ForEach(one => one.Dispose());
        Assert.Equal(0, _ledger.Total);
    }

    [Fact]
    public void After_two_clients_with_long_answers_a_third_has_half_of_the_rest()
    {
        using var first = Hold(new ConnectionRequests(_room));
        first.ChargeAnswer(LongAnswer());
        using var second = Hold(new ConnectionRequests(_room));
        second.ChargeAnswer(LongAnswer());
        var third = new ConnectionRequests(_room);
        using var query = third.Hold(Identity.Anonymous, Query());
        Assert.NotNull(query.ChargeAnswer(Query()));
    }

    [Fact]
    public async Task Descriptions_wait_until_their_client_has_read_earlier_answers()
    {
        var connection = new ConnectionRequests(_room);
        var (greedy, crowd) = (Hold(connection), Enumerable.Range(0, 40).Select(_ => Hold(connection)).ToList());
        greedy.ChargeAnswer(LongAnswer());
        var description = new DescribeResponse { Match = new() { MapName = new string('m', 500_000) } };
        var given = 0;
        var described = crowd.Select(one => DescribeAsync(one)).ToList();
        Assert.Equal(0, given);
        greedy.Dispose();
        Assert.All(await Task.WhenAll(described), one => Assert.Same(description, one));
        Assert.Equal(0, _ledger.Total);

        async Task<DescribeResponse> DescribeAsync(HeldRequest held)
        {
            var written = await held.ChargeDescriptionAsync(description, Ct);
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
