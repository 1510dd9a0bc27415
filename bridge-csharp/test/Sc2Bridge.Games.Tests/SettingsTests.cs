namespace Sc2Bridge.Games.Tests;

public sealed class SettingsTests
{
    [Theory]
    [InlineData("computer:terran:VeryHard", "computer:Terran:VeryHard")]
    [InlineData("COMPUTER:Zerg:elite", "computer:Zerg:VeryHard")]
    [InlineData("computer:random:cheatinsane:rush", "computer:Random:CheatInsane:Rush")]
    [InlineData("Agent: protoss", "agent:Protoss")]
    [InlineData("api:zerg", "api:Zerg")]
    public void Players_are_read(string text, string meaning) =>
        Assert.Equal(meaning, PlayerSpec.Parse(text).ToString());

    [Theory]
    [InlineData("agent:terran:Easy", "has too many parts: write agent:RACE, such as agent:terran")]
    [InlineData("agent:elves", "'elves' is not a race")]
    [InlineData("api:zerg:Easy", "has too many parts: write api:RACE")]
    [InlineData("computer:terran", "write computer:RACE:DIFFICULTY")]
    [InlineData("computer:zrg", "'zrg' is not a race: write Terran, Zerg, Protoss or Random; did you mean Zerg?")]
    [InlineData("computer:zerg:Easy:rush:x", "has too many parts: write computer:RACE:DIFFICULTY:BUILD at most")]
    [InlineData("", "write computer:RACE:DIFFICULTY")]
    [InlineData("computer:orc:Easy", "'orc' is not a race: write Terran, Zerg, Protoss or Random")]
    [InlineData("computer:norace:Easy", "'norace' is not a race")]
    [InlineData("computer:zerg:7", "'7' is not a difficulty: write VeryEasy,")]
    [InlineData("computer:zerg:Easy:tower", "'tower' is not a build")]
    public void Invalid_players_are_refused(string text, string message) =>
        Assert.Contains(
            message, Assert.Throws<GameException>(() => PlayerSpec.Parse(text)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("max", 0, false)]
    [InlineData("16", 16, false)]
    [InlineData("22.4", 22.4, false)]
    [InlineData("Realtime", 0, true)]
    public void Rates_are_read(string text, double hz, bool realtime) =>
        Assert.Equal((hz, realtime), (StepRate.Parse(text).Hz, StepRate.Parse(text).Realtime));

    [Theory]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("fast")]
    [InlineData("NaN")]
    [InlineData("1e9")]
    [InlineData("10001")]
    public void Invalid_rates_are_refused(string text) =>
        Assert.Throws<GameException>(() => StepRate.Parse(text));

    [Theory]
    [InlineData("x")]
    [InlineData("84x84x84")]
    [InlineData("84,64,1")]
    [InlineData("0")]
    [InlineData("2000")]
    public void Invalid_sizes_are_refused(string text) =>
        Assert.Throws<GameException>(() => SpatialSize.Parse(text));

    [Fact]
    public void Settings_that_cannot_be_are_named()
    {
        Assert.Throws<GameException>(() => new MatchSettings { StepSize = 0 }.Validate());
        Assert.Throws<GameException>(() => new MatchSettings { Players = [] }.Validate());
        Assert.Throws<GameException>(() => new MatchSettings { Observe = 3 }.Validate());
        new MatchSettings { Observe = 2 }.Validate();
        var (agent, computer) = (PlayerSpec.Agent(Race.Zerg), PlayerSpec.Computer(Race.Terran, Difficulty.Easy));
        new MatchSettings { Players = [agent, computer] }.Validate();
        Assert.Throws<GameException>(() => new MatchSettings { Players = [agent, computer], Observe = 1 }.Validate());
        new MatchSettings { Players = [agent, computer, agent] }.Validate();
        Assert.Throws<GameException>(() => new MatchSettings { Players = [agent, agent, agent] }.Validate());
        Assert.Equal(Difficulty.VeryHard, new MatchSettings().Players[0].Difficulty);
    }

    [Fact]
    public void Steps_are_due_at_absolute_times()
    {
        var schedule = new StepSchedule(100, startNs: 0);
        Assert.Equal(10_000_000, schedule.Next(1));
        Assert.Equal(20_000_000, schedule.Next(10_070_000));
        Assert.Equal(30_000_000, schedule.Next(20_070_000));
    }

    [Fact]
    public void Who_is_late_catches_up_without_a_burst_and_who_is_very_late_does_not()
    {
        var schedule = new StepSchedule(100, startNs: 0);
        schedule.Next(0);
        var due = Enumerable.Range(0, 12).Select(_ => schedule.Next(45_000_000)).ToArray();
        Assert.All(due.Zip(due.Skip(1)), pair => Assert.True(pair.Second - pair.First >= 5_000_000));
        Assert.Equal(130_000_000, due[^1]);
        Assert.Equal(5_000_000_000, schedule.Next(5_000_000_000));
        Assert.Equal(5_010_000_000, schedule.Next(5_000_000_000));
    }
}
