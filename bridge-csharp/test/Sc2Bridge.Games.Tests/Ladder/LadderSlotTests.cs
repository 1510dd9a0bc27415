namespace Sc2Bridge.Games.Tests.Ladder;

public sealed class LadderSlotTests
{
    private static readonly LadderSlot _slot = new(new GameAddress("127.0.0.1", 5677), Race.Zerg);

    [Fact]
    public void The_ports_are_counted_from_the_start_port_as_other_bots_count_them()
    {
        var join = (_slot with { StartPort = 5690, Name = "me" }).Join(new InterfaceOptions { Raw = true });
        Assert.Equal((Race.Zerg, "me", 5691), (join.Race, join.PlayerName, join.SharedPort));
        Assert.Equal((5692, 5693), (join.ServerPorts.GamePort, join.ServerPorts.BasePort));
        var client = Assert.Single(join.ClientPorts);
        Assert.Equal((5694, 5695), (client.GamePort, client.BasePort));
    }

    [Fact]
    public void Against_a_computer_there_are_no_ports()
    {
        var join = _slot.Join(new InterfaceOptions { Raw = true });
        Assert.Null(join.ServerPorts);
        Assert.Empty(join.ClientPorts);
        Assert.False(join.HasPlayerName);
    }
}
