using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>What a message's objects would take, before it is parsed.</summary>
public sealed class ParsedSizeTests
{
    [Fact]
    public void A_message_of_many_empty_ones_is_refused()
    {
        var refused = Assert.Throws<McapException>(() =>
            ParsedSize.Check<ResponseData>(new ResponseData { Units = { Empty<UnitTypeData>(100_000) } }.ToByteArray(), 7, "data"));
        Assert.Equal(("data would take more than 16777216 bytes of memory", 7), (refused.Message, refused.Offset));
        Assert.NotNull(refused.Remedy);
    }

    [Fact]
    public void Messages_inside_others_count() => Assert.Throws<McapException>(() => ParsedSize.Check<ResponseObservation>(
        new ResponseObservation
        {
            Observation = new Observation
            {
                RawData = new ObservationRaw { Units = { new Unit { Orders = { Empty<UnitOrder>(400_000) } } } },
            },
        }.ToByteArray(), 0, "it"));

    [Fact]
    public void An_observation_of_a_large_battle_with_images_may_be_parsed()
    {
        var unit = new Unit
        {
            Pos = new Point { X = 1, Y = 2, Z = 3 },
            Tag = ulong.MaxValue,
            Health = 40,
            HealthMax = 40,
            Orders = { new UnitOrder { AbilityId = 3674, TargetUnitTag = 7 } },
            BuffIds = { 5, 6 },
        };
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                RawData = new ObservationRaw { Units = { Enumerable.Repeat(unit, 3000) } },
                RenderData = new ObservationRender { Map = new ImageData { Data = ByteString.CopyFrom(new byte[6 << 20]) } },
            },
        };
        ParsedSize.Check<ResponseObservation>(observation.ToByteArray(), 0, "it");
    }

    [Fact]
    public void A_damaged_message_is_left_to_the_parser()
    {
        var data = new ResponseData { Units = { Empty<UnitTypeData>(70_000) } }.ToByteArray();
        data[^1] = 0x7F;
        ParsedSize.Check<ResponseData>(data.AsSpan(data.Length - 130_000), 0, "it");
        ParsedSize.Check<ResponseData>(Enumerable.Repeat((byte)0xFF, 200_000).ToArray(), 0, "it");
    }

    private static IEnumerable<T> Empty<T>(int count)
        where T : new() => Enumerable.Range(0, count).Select(_ => new T());
}
