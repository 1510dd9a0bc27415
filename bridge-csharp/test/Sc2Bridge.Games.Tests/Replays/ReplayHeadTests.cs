using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Games.Tests.Replays;

/// <summary>What replays contain about themselves.</summary>
public sealed class ReplayHeadTests
{
    [Fact]
    public void A_replay_of_StarCraft_II_says_its_version()
    {
        var head = ReplayHead.Read(MadeUpReplay.Bytes(75800, "DDFFF9EC4A171459A4F371C6CC189554"), "a.SC2Replay");
        Assert.Equal(
            new ReplayHead(ReplayGameKind.StarCraft, 75800, "DDFFF9EC4A171459A4F371C6CC189554", "4.10.1.75800"), head);
    }

    [Fact]
    public void An_old_one_may_not_name_its_data()
    {
        var head = ReplayHead.Read(MadeUpReplay.Bytes(75800, null), "a.SC2Replay");
        Assert.Equal("", head.DataVersion);
    }

    [Fact]
    public void A_version_of_negative_numbers_is_damage() => Assert.Contains(
        "is a damaged replay",
        Assert.Throws<GameException>(() => ReplayHead.Read(MadeUpReplay.Bytes(-75800, null), "a.SC2Replay")).Message,
        StringComparison.Ordinal);

    [Fact]
    public void One_of_the_simulated_game_is_known()
    {
        var head = ReplayHead.Read(SimulatedReplay.Make(2), "a.SC2Replay");
        Assert.Equal(ReplayGameKind.Simulated, head.Kind);
        Assert.Null(head.BaseBuild);
    }

    [Theory]
    [InlineData("", "empty")]
    [InlineData("<html>", "not a replay")]
    [InlineData("MPQ\x1b", "damaged")]
    [InlineData("MPQ\x1b more than sixteen bytes", "damaged")]
    public void What_is_none_is_named(string content, string why)
    {
        var bytes = System.Text.Encoding.Latin1.GetBytes(content);
        var failure = Assert.Throws<GameException>(() => ReplayHead.Read(bytes, "a.SC2Replay"));
        Assert.StartsWith("a.SC2Replay ", failure.Message, StringComparison.Ordinal);
        Assert.Contains(why, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Whatever_the_bytes_are_only_the_documented_error_comes()
    {
        var good = MadeUpReplay.Bytes(75800, "DDFFF9EC4A171459A4F371C6CC189554");
        var flips = Gen.ListOf(Gen.Zip(Gen.Choose(4, good.Length - 1), Gen.Choose(0, 255)));
        var cuts = Gen.Choose(0, good.Length);
        Prop.ForAll(Arb.From(Gen.Zip(flips, cuts)), damage =>
        {
            var bytes = good.ToArray();
            foreach (var (at, value) in damage.Item1)
            {
                bytes[at] = (byte)value;
            }

            try
            {
                ReplayHead.Read(bytes.AsSpan(0, damage.Item2), "a.SC2Replay");
            }
            catch (GameException documented)
            {
                Assert.StartsWith("a.SC2Replay ", documented.Message, StringComparison.Ordinal);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)));
    }
}
