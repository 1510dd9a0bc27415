using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>The builds of StarCraft II that the simulated game can report.</summary>
public sealed class BuildTests
{
    [Theory]
    [InlineData("4.10", 75689, "B89B5D6FA7CBF6452E721311BFBC6CB2", 4106, 1993)]
    [InlineData("5.0.14", 93333, "446907060311FB1CC29EB31E547BB9FD", 4132, 1996)]
    public void A_build_has_its_versions_and_lacks_later_types(string name, uint build, string data, uint lastAbility, uint lastUnit)
    {
        var game = Game.Joined(Game.CreateForOne(), Game.JoinAs(Race.Terran), SimulatorOptions.Parse(["--build", name]));
        var ping = game.Handle(new Request { Ping = new RequestPing() }).Ping;
        Assert.Equal(
            ($"{name}.simulated", build, build, data), (ping.GameVersion, ping.BaseBuild, ping.DataBuild, ping.DataVersion));
        var types = game.Handle(new Request { Data = new RequestData { AbilityId = true, UnitTypeId = true } }).Data;
        Assert.Equal((lastAbility, lastUnit), (types.Abilities[^1].AbilityId, types.Units[^1].UnitId));
    }

    [Fact]
    public void A_replay_names_the_version_that_saved_it()
    {
        var game = Game.Joined(Game.CreateForOne(), Game.JoinAs(Race.Terran), SimulatorOptions.Parse(["--build", "4.10"]));
        var replay = game.Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data;
        var info = new SimulatedGame(new SimulatorOptions())
            .Handle(new Request { ReplayInfo = new RequestReplayInfo { ReplayData = replay } }).ReplayInfo;
        Assert.Equal(("4.10.simulated", 75689u), (info.GameVersion, info.BaseBuild));
    }

    [Fact]
    public void Other_builds_are_refused_with_the_known_ones()
    {
        var refused = Assert.Throws<ArgumentException>(() => SimulatorOptions.Parse(["--build", "4.9"]));
        Assert.Contains("4.10 or 5.0.14", refused.Message, StringComparison.Ordinal);
    }
}
