using System.Text;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>Players in the format of builds before 0.1.0: their kind is a text in field 2.</summary>
public sealed class MatchRecordsTests
{
    [Theory]
    [InlineData("computer", PlayerKind.Computer)]
    [InlineData("1", PlayerKind.Unspecified)]
    [InlineData("computer, agent", PlayerKind.Unspecified)]
    [InlineData("\u00ff", PlayerKind.Unspecified)]
    public void A_text_that_is_not_the_name_of_a_kind_is_read_as_unspecified(string latin1, PlayerKind kind)
    {
        byte[] text = Encoding.Latin1.GetBytes(latin1);
        var player = Player.Parser.ParseFrom([0x12, (byte)text.Length, .. text]);
        var record = new MatchRecord { Start = new MatchDescription { Players = { player } } };
        Assert.Equal(kind, MatchRecords.ToCurrentForm(record).Start.Players[0].Kind);
    }
}
