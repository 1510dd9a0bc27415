using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>The part of requests that a recording and other listeners receive, whatever agents send.</summary>
public sealed class RequestBudgetTests
{
    private const int Large = 1 << 20;

    private readonly List<RequestRecord> _told = [];

    private long Bytes => _told.Sum(record => (long)record.CalculateSize());

    [Fact]
    public async Task A_refused_request_is_told_without_its_content()
    {
        using var match = new TestMatch();
        match.Hub.Events.RequestAnswered += request => _told.Add(request.Record);
        var request = new Request { StartReplay = new() { ReplayData = ByteString.CopyFrom(new byte[Large]) } };
        await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(match, request, "asker"));
        await match.Hub.Events.FlushAsync();
        var told = Assert.Single(_told);
        Assert.Equal(("asker", "start_replay", (ulong)request.CalculateSize()), (told.Agent, told.Kind, told.Bytes));
        Assert.Null(told.Request);
        Assert.NotEmpty(told.Refusal);
        Assert.InRange(Bytes, 1, 1000);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public async Task Refusals_are_lines_up_to_a_bound_and_then_counted(int names)
    {
        // About 100 bytes each. All are reported, however long this takes.
        const int Count = 50_000;
        using var match = new TestMatch();
        match.Hub.Events.RequestAnswered += request => _told.Add(request.Record);
        var began = MonotonicClock.NowNs;
        for (var time = 0; time < Count; time++)
        {
            await Assert.ThrowsAsync<RequestRefusedException>(
                () => Ask(match, new() { Step = new() }, $"flooder {time % names}", $"session {time % names}"));
            await (time % 1000 == 0 ? match.Hub.Events.FlushAsync() : Task.FromResult(true));
        }

        match.Hub.End(new MatchEnd());
        await match.Hub.Events.FlushAsync();
        var seconds = 2 + ((MonotonicClock.NowNs - began) / 1_000_000_000);
        Assert.Equal(0, match.Hub.Events.SidePath.Lost);
        Assert.Equal(Count, _told.Count(record => record.Kind.Length > 0) + _told.Sum(record => (long)record.Omitted));
        Assert.InRange(Bytes, 1, (names == 1 ? 1 : 5) * RequestBudget.EntryBytesPerSecond * seconds);
    }

    [Fact]
    public void Who_takes_the_name_of_an_agent_that_left_does_not_inherit_what_it_has_used_up()
    {
        var budget = new RequestBudget();
        for (var used = Answered("agent"); budget.TryConsume("first", used, 0) && used.Response is not null;)
        {
            used = Answered("agent");
        }

        var next = Answered("agent");
        Assert.True(budget.TryConsume("second", next, 0));
        Assert.NotNull(next.Response);
    }

    [Fact]
    public async Task A_request_that_is_answered_in_the_next_match_counts_in_its_own()
    {
        using var hub = new Hub(new HubOptions());
        var game = new HeldGame();
        hub.Announce(new MatchDescription { MatchId = "first", Perspectives = { 0 } }, game);
        var budget = hub.CurrentMatch.RecordingBudget;
        var asked = hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Request = new() { Query = new() }, SessionId = "session of one" }, "one", Identity.Anonymous, Ct);
        hub.End(new MatchEnd { NextFollows = true });
        hub.Announce(new MatchDescription { MatchId = "next", Perspectives = { 0 } }, game);
        game.Answer(Answered("one").Response);
        await asked;
        var (ofFirst, ofNext) = (Content(budget, "one", 100, 0), Content(hub.CurrentMatch.RecordingBudget, "one", 100, 0));
        Assert.InRange(ofNext - ofFirst, Large / 2, 2 * Large);
    }

    [Fact]
    public void Content_is_bounded_by_sender_a_second_and_in_all_and_of_all_senders()
    {
        const long second = 1_000_000_000;
        var budget = new RequestBudget();

        // Each agent has its own share.
        Assert.Equal((double)RequestBudget.ContentBytesPerSecond, Content(budget, "one", 100, 0), (double)Large);
        Assert.Equal((double)RequestBudget.ContentBytesPerSecond, Content(budget, "two", 100, 0), (double)Large);
        Assert.Equal((double)RequestBudget.ContentBytesPerSecond, Content(budget, "one", 100, second), (double)Large);
        Assert.Equal(2.0 * RequestBudget.ContentBytesPerSecond, Crowd(2), 3.0 * Large);
        long all = 0;
        for (var time = 3; time < 500; time++)
        {
            all += Content(budget, "one", 10, time * second);
        }

        Assert.InRange(all, RequestBudget.ContentBytesInAll * 9 / 10, RequestBudget.ContentBytesInAll);

        // Answers are left out together with their requests, and this is reported.
        var record = Answered("one");
        Assert.True(budget.TryConsume("session of " + record.Agent, record, 501 * second));
        Assert.Equal((null, null, "query"), (record.Request, record.Response, record.Kind));
        Assert.InRange(record.Bytes, (ulong)Large, Large + 1000UL);

        long Crowd(int time)
        {
            long content = 0;
            for (var sender = 0; sender < 1000; sender++)
            {
                content += Content(budget, $"sender {sender}", 1, time * second);
            }

            return content / 2;
        }
    }

    [Fact]
    public void Those_who_come_after_many_short_sessions_have_accounts_of_their_own()
    {
        var budget = new RequestBudget();
        for (var session = 0; session < 1000; session++)
        {
            Assert.True(budget.TryConsume($"short {session}", new RequestRecord { Agent = "short", Refusal = "refused" }, session));
        }

        Assert.Equal((double)RequestBudget.ContentBytesPerSecond, Content(budget, "noisy", 100, 1000), (double)Large);
        Assert.Equal((double)RequestBudget.ContentBytesPerSecond, Content(budget, "late", 100, 1001), (double)Large);
    }

    [Fact]
    public void Noisy_senders_leave_each_other_one_enough_for_its_actions_and_for_lines_on_its_requests()
    {
        var budget = new RequestBudget();
        for (var sender = 0; sender < 10; sender++)
        {
            var session = $"noisy {sender}";
            Content(budget, session, 100, 0);
            while (budget.TryConsume(session, new RequestRecord { Agent = session, Refusal = "refused" }, 0))
            {
            }

            for (var small = true; small;)
            {
                var acted = Acted(session);
                budget.TryConsume(session, acted, 0, mayAct: true);
                small = acted.Actions.Count > 0;
            }
        }

        for (var step = 0; step < 100; step++)
        {
            var acted = Acted("quiet");
            budget.TryConsume("quiet", acted, step, mayAct: true);
            Assert.NotEmpty(acted.Actions);
        }

        Assert.True(budget.TryConsume("quiet", new RequestRecord { Agent = "quiet", Refusal = "refused" }, 100));
    }

    [Fact]
    public void A_crowd_of_short_sessions_gets_no_more_than_what_is_kept_for_those_that_are_told_apart()
    {
        var budget = new RequestBudget();
        long content = 0;
        for (var session = 0; session < 100_000; session++)
        {
            var record = Answered("crowd", 1000);
            content += budget.TryConsume($"session {session}", record, session) && record.Response is not null ? record.CalculateSize() : 0;
        }

        Assert.InRange(content, 4 * RequestBudget.ContentBytesPerSecond, 5 * RequestBudget.ContentBytesPerSecond);
    }

    [Fact]
    public void The_count_of_lines_that_were_left_out_is_a_part_of_the_record()
    {
        var budget = new RequestBudget();
        while (budget.TryConsume("session of one", new RequestRecord { Agent = "one", Refusal = "refused" }, 0))
        {
        }

        var record = Answered("one");
        record.Response.SaveReplay.Data =
            ByteString.CopyFrom(new byte[RequestBudget.ContentBytesPerSecond - (record.CalculateSize() - Large) - 4]);
        Assert.InRange(record.CalculateSize(), RequestBudget.ContentBytesPerSecond - 1, RequestBudget.ContentBytesPerSecond);
        Assert.True(budget.TryConsume("session of " + record.Agent, record, 1_000_000_000));
        Assert.Equal(1ul, record.Omitted);
        Assert.InRange(record.CalculateSize(), 1, RequestBudget.ContentBytesPerSecond);
    }

    [Fact]
    public void Actions_are_lines_up_to_a_bound_and_then_counted()
    {
        const int count = 200_000;
        var budget = new RequestBudget();
        var (whole, lines, bytes) = (0, 0, 0L);
        for (var time = 0; time < count; time++)
        {
            var acted = Acted("flooder");
            if (budget.TryConsume("flooder", acted, 0, mayAct: true))
            {
                whole += acted.Actions.Count;
                lines += 1 - acted.Actions.Count;
                bytes += acted.CalculateSize();
            }
        }

        Assert.InRange(lines, 1, count - whole - 1);
        Assert.InRange(bytes, 1, RequestBudget.ContentBytesPerSecond + RequestBudget.EntryBytesPerSecond);
        Assert.Equal((ulong)(count - whole - lines), Assert.Single(budget.TakeOmitted()).Omitted);
    }

    [Fact]
    public void Actions_of_a_sender_that_only_watches_are_lines_at_once()
    {
        var acted = Acted("watcher");
        acted.Outcome = new ActionsOutcome { Error = new Error { Message = "it only watches" } };
        var size = acted.CalculateSize();
        Assert.True(new RequestBudget().TryConsume("watcher", acted, 0, mayAct: false));
        Assert.Empty(acted.Actions);
        Assert.Equal(((ulong)size, "it only watches"), (acted.Bytes, acted.Outcome.Error.Message));
    }

    // The number of bytes that were reported completely.
    private static long Content(RequestBudget budget, string agent, int times, long nowNs)
    {
        long bytes = 0;
        for (var time = 0; time < times; time++)
        {
            var record = Answered(agent);
            bytes += budget.TryConsume("session of " + record.Agent, record, nowNs) && record.Response is not null ? record.CalculateSize() : 0;
        }

        return bytes;
    }

    private static RequestRecord Answered(string agent, int bytes = Large) => new()
    {
        Agent = agent,
        Request = new() { Query = new() },
        Response = new() { SaveReplay = new() { Data = ByteString.CopyFrom(new byte[bytes]) } },
    };

    private static ActionRecord Acted(string agent) => new()
    {
        Agent = agent,
        Actions = { new SC2APIProtocol.Action { ActionChat = new() { Message = new string('x', 100) } } },
    };

    private static Task Ask(TestMatch match, Request request, string agent, string session = "") =>
        match.Hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Request = request, SessionId = session }, agent, Identity.Anonymous, Ct);
}
