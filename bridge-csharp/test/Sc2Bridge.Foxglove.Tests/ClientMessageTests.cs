using System.Text;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using static Sc2Bridge.Foxglove.ClientMessage;

namespace Sc2Bridge.Foxglove.Tests;

/// <summary>Messages of clients are read correctly, or refused with one line.</summary>
public sealed class ClientMessageTests
{
    [Fact]
    public void A_subscription_names_channels()
    {
        var read = Assert.IsType<Subscribe>(Text("""
            {"op": "subscribe", "subscriptions": [{"id": 0, "channelId": 3}, {"id": 4294967295, "channelId": 5, "more": []}], "x": 1}
            """));
        Assert.Equal([(0u, 3ul), (uint.MaxValue, 5ul)], read.Subscriptions);
        Assert.Equal([7u], Assert.IsType<Unsubscribe>(Text("""{"subscriptionIds": [7], "op": "unsubscribe"}""")).Ids);
        Assert.Equal(new Other("getParameters"), Text("""{"op": "getParameters", "parameterNames": []}"""));
    }

    // Play from 100.5 s on, at 1.5 times the speed.
    [Fact]
    public void A_playback_request_has_foxgloves_layout()
    {
        byte[] bytes =
        [
            3, 0, 0, 0, 0xc0, 0x3f, 1, 0x00, 0x4d, 0x44, 0x66, 0x17, 0x00, 0x00, 0x00, 7, 0, 0, 0, .. "some-id"u8,
        ];
        Assert.Equal(new PlaybackControl(false, 1.5f, 100_500_000_000, "some-id"), ParseBinary(bytes));
        bytes[1] = 1;
        bytes[6] = 0;
        Assert.Equal(new PlaybackControl(true, 1.5f, null, "some-id"), ParseBinary(bytes));
        Assert.Equal(new Other("a binary message of the kind 1"), ParseBinary([1, 2, 3]));
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"op": 3}""")]
    [InlineData("""{"op": "\ud800"}""")]
    [InlineData("""{"op": "subscribe"}""")]
    [InlineData("""{"op": "subscribe", "subscriptions": [[]]}""")]
    [InlineData("""{"op": "subscribe", "subscriptions": [{"id": 1}]}""")]
    [InlineData("""{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 4294967296}]}""")]
    [InlineData("""{"op": "unsubscribe", "subscriptionIds": [0.5]}""")]
    public void Invalid_messages_are_refused(string text) => Assert.Throws<FoxgloveMessageException>(() => Text(text));

    [Fact]
    public void Any_bytes_are_read_or_refused() => Prop.ForAll(
        ArbMap.Default.ArbFor<byte[]>(), ArbMap.Default.ArbFor<bool>(), static (bytes, isControl) =>
        {
            foreach (var parse in (Func<ClientMessage>[])
                [() => ParseText(bytes), () => ParseBinary(isControl ? [3, .. bytes] : bytes)])
            {
                try
                {
                    Assert.NotNull(parse());
                }
                catch (FoxgloveMessageException refused)
                {
                    Assert.DoesNotContain('\n', refused.Message);
                }
            }
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Any_playback_request_is_read_as_it_was_written() => Prop.ForAll(
        ArbMap.Default.ArbFor<(bool Paused, float Speed, ulong? Seek)>(), ArbMap.Default.ArbFor<NonNull<string>>(), static (wish, id) =>
        {
            var name = Encoding.UTF8.GetBytes(id.Get);
            byte[] bytes =
            [
                3, wish.Paused ? (byte)1 : (byte)0, .. BitConverter.GetBytes(wish.Speed), wish.Seek is null ? (byte)0 : (byte)1,
                .. BitConverter.GetBytes(wish.Seek ?? 0), .. BitConverter.GetBytes(name.Length), .. name,
            ];
            Assert.Equal(
                new PlaybackControl(wish.Paused, wish.Speed, wish.Seek, Encoding.UTF8.GetString(name)), ParseBinary(bytes));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void The_bridges_messages_have_foxgloves_layout()
    {
        Assert.Equal([2, 0x39, 0x30, 0, 0, 0, 0, 0, 0], ServerMessage.Time(12345));
        Assert.Equal(
            [5, 1, 0x39, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 1, 2, 0, 0, 0, .. "id"u8],
            ServerMessage.PlaybackState(PlaybackStatus.Paused, 12345, 1, didSeek: true, "id"));
        var head = new byte[ServerMessage.MessageHeadLength];
        ServerMessage.WriteMessageHead(head, 9, 12345);
        Assert.Equal([1, 9, 0, 0, 0, 0x39, 0x30, 0, 0, 0, 0, 0, 0], head);
        var info = JsonSerializer.Deserialize<JsonElement>(ServerMessage.Info("m", new Dictionary<string, string>(), (1, 2_000_000_003)));
        Assert.Equal("""{"sec":2,"nsec":3}""", info.GetProperty("dataEndTime").GetRawText());
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(1u)]
    [InlineData(1192u)]
    [InlineData(16_860u)]
    [InlineData(4_000_000_000u)]
    public void A_loop_has_a_time_that_leads_back_to_it(uint loop)
    {
        Assert.Equal(loop, GameTime.LoopAt(GameTime.FromLoop(loop)));
        Assert.Equal(loop, GameTime.LoopAt(GameTime.FromLoop(loop + 1) - 1_000));
        Assert.Equal(16, GameTime.HzOf(GameTime.SpeedOf(16, 8), 8), 1e-5);
    }

    private static ClientMessage Text(string text) => ParseText(Encoding.UTF8.GetBytes(text));
}
