using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>All events in all states of a subscriber, in any order, compared with a model and from several threads.</summary>
public sealed class SubscriberModelTests
{
    private const uint Side = 1;

    private enum Move
    {
        Announce, AnnounceOther, EndMatch, Publish, Read, Acknowledge, Act,
        ReportTimes, OnStreamEnded, Drop, CutOff, Fail, Ask, Dispose,
    }

    [Fact]
    public void Any_event_in_any_state_does_what_the_model_says() =>
        Prop.ForAll<byte[], byte>((moves, setting) =>
        {
            using var model = new Model((Policy)(1 + (setting % 3)));
            foreach (var move in moves)
            {
                // The end is a rare move, so that most sequences reach every state.
                model.Do(Enum.GetValues<Move>()[move % 64 == 13 ? 13 : move % 13]);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)).WithEndSize(80));

    [Fact]
    public async Task Any_events_from_several_threads_leave_nothing_behind()
    {
        for (var round = 0; round < 300; round++)
        {
            using var match = new PlayedMatch(options: new HubOptions { LockstepDeadline = TimeSpan.FromMinutes(5) });
            var left = 0;
            match.Hub.Events.SubscriberLeft += _ => Interlocked.Increment(ref left);
            var subscription = match.Join((Policy)(1 + (round % 3)));
            var actors = Enumerable.Range(0, 3).Select(actor => Task.Run(() => Disturb(subscription, new Random((round * 3) + actor)), Ct));
            var publishing = Task.Run(() => PublishAsync(match), Ct);
            await Task.WhenAll([.. actors, ReadAsync(subscription)]).WaitAsync(TimeSpan.FromMinutes(1), Ct);
            subscription.Dispose();
            await publishing.WaitAsync(TimeSpan.FromMinutes(1), Ct);
            Assert.True(await match.Hub.Events.FlushAsync());
            Assert.Equal((1, SubscriberPhase.Closed), (left, subscription.Core.Phase));
            Assert.Empty(match.Hub.Subscribers);
            Assert.False(match.Hub.WaitForSubscribersAsync(1, Ct).IsCompleted);
            Assert.Equal((0L, 0L), (match.Hub.Memory[MemoryAccount.Queues], match.Hub.Memory[MemoryAccount.Frames]));

            // Its name is free again, and its side has no player.
            var next = match.Join();
            Assert.Equal(subscription.Name, next.Name);
            Assert.False(match.Hub.IsSideAbandoned(PlayedMatch.Side));
            next.Dispose();
            Assert.True(match.Hub.IsSideAbandoned(PlayedMatch.Side));
        }
    }

    private static async Task PublishAsync(PlayedMatch match)
    {
        for (var game = 0; game < 2; game++)
        {
            for (var step = 0ul; step < 10; step++)
            {
                await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
                await match.PublishAsync(step, game == 0 ? PlayedMatch.Name : "next");
            }

            if (game == 0)
            {
                match.Follow("next");
            }
        }
    }

    private static async Task ReadAsync(Subscription subscription)
    {
        try
        {
            for (var isLast = false; !isLast;)
            {
                var delivery = await subscription.ReadAsync(Ct);
                isLast = delivery.IsLast;
                var step = delivery.Frame?.Header.Step;
                delivery.Release();
                if (step is { } read)
                {
                    subscription.Acknowledge(read);
                }
            }
        }
        catch (ObjectDisposedException)
        {
            // The subscription was closed.
        }
    }

    private static void Disturb(Subscription subscription, Random random)
    {
        var before = SubscriberPhase.Waiting;
        for (var move = 0; move < 40; move++)
        {
            var step = (ulong)random.Next(10);
            switch (random.Next(move < 20 ? 6 : 10))
            {
                case 0 or 1:
                    subscription.Acknowledge(step);
                    break;
                case 2 or 3:
                    subscription.Act(Says(step, 0));
                    break;
                case 4:
                    subscription.Acknowledge(new Acknowledgement { Step = step, Times = { new StepTimes { Step = step } } });
                    break;
                case 5:
                    _ = (subscription.State, subscription.HasEnded, subscription.WaitForEndAsync(), subscription.WaitForLastTimesAsync());
                    break;
                case 6:
                    subscription.OnStreamEnded();
                    break;
                case 7:
                    subscription.Drop(StatusCode.Unauthenticated, "expired");
                    break;
                case 8:
                    subscription.Core.CutOff(1);
                    break;
                case 9:
                    subscription.Dispose();
                    break;
            }

            using var entered = subscription.Core.Enter();
            Assert.True(subscription.Core.Phase >= before);
            before = subscription.Core.Phase;
        }
    }

    private static Actions Says(ulong step, int number) => new()
    {
        Step = step,
        RequestId = (uint)number,
        Actions_ = { new SC2APIProtocol.Action { ActionChat = new() { Message = $"{number}" } } },
    };

    /// <summary>A subscriber and its expected state.</summary>
    private sealed class Model : IGameRequests, IDisposable
    {
        private readonly Hub _hub = new(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
        private readonly List<ObservationFrame> _frames = [];
        private readonly Dictionary<int, SubscriberPhase> _sent = [];
        private readonly HashSet<int> _answered = [];
        private readonly List<int> _done = [];
        private readonly Subscription _subscription;
        private SubscriberPhase _phase;
        private string? _match;
        private bool _isOwn;
        private bool _fails;
        private bool _failed;
        private bool _readOut;
        private int _matches;
        private ulong _step;
        private Task _published = Task.CompletedTask;

        public Model(Policy policy) => _subscription = _hub.Subscribe(
            new V1.SubscribeRequest { Policy = policy, CanAct = true, Perspective = Side, ReportsTimes = true },
            new SubscriberInfo("test", DeliverInline: false, OnOffered: _ =>
            {
                if (_fails)
                {
                    throw new InvalidTimeZoneException("a hook's defect");
                }
            }));

        public void Do(Move move)
        {
            switch (move)
            {
                case Move.Announce or Move.AnnounceOther when _match is null:
                    Announce(isOwn: move == Move.Announce);
                    break;
                case Move.EndMatch when _match is not null && _published.IsCompleted:
                    _hub.End(new MatchEnd { MatchId = _match, NextFollows = true });
                    _match = null;
                    End(fails: false);
                    break;
                case Move.Publish when _match is not null && _published.IsCompleted:
                    Publish();
                    break;
                case Move.Read:
                    Read();
                    break;
                case Move.Acknowledge:
                    _subscription.Acknowledge(_step);
                    break;
                case Move.Act:
                    _sent.Add(_sent.Count + 1, _phase);
                    _subscription.Act(Says(_step, _sent.Count));
                    break;
                case Move.ReportTimes:
                    _subscription.Acknowledge(new Acknowledgement { Step = _step, Times = { new StepTimes { Step = _step } } });
                    break;
                case Move.OnStreamEnded:
                    _subscription.OnStreamEnded();
                    break;
                case Move.Drop:
                    _subscription.Drop(StatusCode.Unauthenticated, "expired");
                    End(fails: true);
                    break;
                case Move.CutOff when !_readOut:
                    _subscription.Core.CutOff(1);
                    (_phase, _failed) = _phase == SubscriberPhase.Closed ? (_phase, _failed) : (SubscriberPhase.Ended, true);
                    break;
                case Move.Fail:
                    _fails = true;
                    break;
                case Move.Ask:
                    Ask();
                    break;
                case Move.Dispose:
                    _subscription.Dispose();
                    _phase = SubscriberPhase.Closed;
                    break;
            }

            Assert.Equal(_phase, _subscription.Core.Phase);
            if (_phase >= SubscriberPhase.Ended)
            {
                Assert.True(_published.Wait(TimeSpan.FromMinutes(1)));
                Assert.True(_subscription.WaitForEndAsync().IsCompletedSuccessfully);
            }

            Assert.DoesNotContain(_done, number => _sent[number] != SubscriberPhase.Bound);
        }

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
        {
            _done.AddRange(request.Action.Actions.Select(
                action => int.Parse(action.ActionChat.Message, CultureInfo.InvariantCulture)));
            var success = new ResponseAction();
            success.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
            return Task.FromResult(new Response { Action = success });
        }

        public void Dispose()
        {
            _subscription.Dispose();
            Assert.True(_published.Wait(TimeSpan.FromMinutes(1)));
            Assert.All(_frames, TestMatch.AssertReleased);
            Assert.Equal(0, _hub.Memory[MemoryAccount.Queues]);
            _hub.Dispose();
        }

        private void Announce(bool isOwn)
        {
            (_match, _isOwn, _step) = ($"match {++_matches}", isOwn, 0);
            _hub.Announce(
                new MatchDescription
                {
                    MatchId = _match,
                    Perspectives = { isOwn ? Side : 7 },
                    Players = { new Player { PlayerId = Side, Kind = PlayerKind.Agent } },
                },
                this);
            if (_phase == SubscriberPhase.Waiting)
            {
                (_phase, _failed) = isOwn ? (SubscriberPhase.Bound, false) : (SubscriberPhase.Ended, true);
            }
        }

        private void Publish()
        {
            Assert.True(_hub.Publisher.SendActionsAsync(Side, default).IsCompletedSuccessfully);
            var header = new FrameHeader(_match!, _isOwn ? Side : 7, ++_step, (uint)_step, 0, 0);
            _frames.Add(ObservationFrame.Copy([], header));
            _published = _hub.Publisher.PublishAsync(_frames[^1], default).AsTask();
            if (_fails && _phase == SubscriberPhase.Bound)
            {
                End(fails: true);
            }
        }

        private void End(bool fails)
        {
            if (_phase is SubscriberPhase.Bound || (fails && _phase is SubscriberPhase.Waiting))
            {
                (_phase, _failed) = (SubscriberPhase.Ended, fails);
            }
        }

        private void Read()
        {
            if (_phase == SubscriberPhase.Closed || _readOut)
            {
                Assert.ThrowsAny<InvalidOperationException>(() => { _ = _subscription.Read(); });
            }
            else if (_subscription.Core.Queue.HasNext)
            {
                var delivery = _subscription.Read().Result;
                IEnumerable<ActionsOutcome> outcomes = delivery.Frame is null
                    ? delivery.Event!.ActionsOutcome is { } outcome ? [outcome] : []
                    : delivery.Parsed().Outcomes;
                Array.ForEach([.. outcomes], Answered);
                if (delivery.IsLast)
                {
                    Assert.Equal((SubscriberPhase.Ended, _failed), (_phase, delivery.Event!.Error is not null));
                    _readOut = true;
                }

                delivery.Release();
            }
        }

        private void Answered(ActionsOutcome outcome)
        {
            Assert.True(_answered.Add((int)outcome.RequestId));
            switch (_sent[(int)outcome.RequestId])
            {
                case SubscriberPhase.Waiting:
                    Assert.Equal(StatusCode.InvalidArgument, outcome.Error.Code);
                    break;
                case SubscriberPhase.Ended:
                    Assert.Equal(StatusCode.FailedPrecondition, outcome.Error.Code);
                    Assert.Contains("has ended", outcome.Error.Message, StringComparison.Ordinal);
                    break;
            }
        }

        private void Ask()
        {
            if (_phase >= SubscriberPhase.Ended)
            {
                Assert.Equal(
                    StatusCode.FailedPrecondition, Assert.Throws<RequestRefusedException>(_subscription.RequireRunning).Code);
                Assert.Throws<RequestRefusedException>(
                    () => _hub.Sessions.CallerOf(_subscription.SessionId, null, Sc2Bridge.Protocol.Identity.Anonymous));
            }
            else
            {
                Assert.Equal(_phase == SubscriberPhase.Bound ? _match : null, _subscription.RequireRunning()?.MatchId);
                Assert.Same(
                    _subscription, _hub.Sessions.CallerOf(_subscription.SessionId, null, Sc2Bridge.Protocol.Identity.Anonymous));
            }
        }
    }
}
