using SC2APIProtocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Protocol.Tests;

public class ApiStateTests
{
    private static readonly Kind[] _kinds = [.. Enum.GetValues<Kind>().Where(kind => kind != Kind.None)];

    [Theory]
    [InlineData(Status.Launched, "create_game join_game save_map start_replay")]
    [InlineData(Status.InitGame, "join_game save_map")]
    [InlineData(
        Status.InGame,
        "action create_game data debug game_info leave_game map_command obs_action observation query quick_load "
        + "quick_save restart_game save_replay start_replay step")]
    [InlineData(
        Status.InReplay,
        "create_game data game_info leave_game obs_action observation query save_replay start_replay step")]
    [InlineData(
        Status.Ended, "create_game data game_info leave_game observation restart_game save_replay start_replay")]
    public void Each_state_allows_its_requests_and_those_that_are_legal_anywhere(Status status, string expected)
    {
        string[] always = ["available_maps", "ping", "quit", "replay_info"];
        Assert.Equal(
            expected.Split(' ').Concat(always).Order(StringComparer.Ordinal),
            _kinds.Where(kind => ApiState.Allows(status, kind)).Select(ApiState.NameOf).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_game_that_quits_answers_nothing_and_one_not_yet_heard_may_be_asked_anything()
    {
        Assert.All(_kinds, kind => Assert.False(ApiState.Allows(Status.Quit, kind)));
        Assert.All(_kinds, kind => Assert.True(ApiState.Allows(Status.Unknown, kind)));
        Assert.Equal(Status.Unknown, new ApiState().Current);
    }

    [Fact]
    public void A_refusal_names_the_request_the_state_and_where_it_is_valid() => Assert.Equal(
        "`step` is not valid in the state launched; it is valid in: in_game, in_replay.",
        new ApiState(Status.Launched).Refusal(Kind.Step));

    [Fact]
    public void Every_refusal_is_one_line_that_names_its_request()
    {
        foreach (var status in Enum.GetValues<Status>())
        {
            foreach (var kind in _kinds)
            {
                var refusal = new ApiState(status).Refusal(kind);
                Assert.Equal(ApiState.Allows(status, kind), refusal is null);
                if (refusal is not null)
                {
                    Assert.StartsWith($"`{ApiState.NameOf(kind)}` is not valid in the state ", refusal);
                    Assert.DoesNotContain('\n', refusal);
                }
            }
        }
    }

    [Fact]
    public void An_empty_request_is_refused_in_every_state() => Assert.All(
        Enum.GetValues<Status>(),
        status => Assert.Contains("empty", new ApiState(status).Refusal(Kind.None), StringComparison.Ordinal));

    [Fact]
    public void Steps_are_refused_in_real_time()
    {
        var state = new ApiState(Status.InGame) { Realtime = true };
        Assert.Contains("real time", state.Refusal(Kind.Step), StringComparison.Ordinal);
        Assert.Null(state.Refusal(Kind.Observation));
        state.Realtime = false;
        Assert.Null(state.Refusal(Kind.Step));
    }

    [Fact]
    public void It_goes_where_the_game_says()
    {
        var state = new ApiState(Status.Launched);
        state.RecordStatus(Status.InitGame);
        Assert.Null(state.Refusal(Kind.JoinGame));
        state.RecordStatus(Status.InGame);
        Assert.NotNull(state.Refusal(Kind.JoinGame));
        state.RecordStatus(Status.Ended);
        Assert.Null(state.Refusal(Kind.Observation));
        state.RecordStatus((Status)7);
        Assert.Equal(Status.Unknown, state.Current);
    }

    [Fact]
    public void A_request_that_the_api_does_not_know_is_not_allowed_where_the_state_is_known() =>
        Assert.Equal("The game does not know the request `50`: send one that its API defines.", new ApiState(Status.InGame).Refusal((Kind)50));
}
