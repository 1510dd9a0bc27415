using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Recordings.Tests.Mcap;

/// <summary>The estimated size of a message's objects, before it is parsed.</summary>
public sealed class ParsedSizeTests
{
    [Fact]
    public void A_message_of_many_empty_ones_is_refused()
    {
        var refused = Assert.Throws<McapException>(() =>
            ParsedSize.Check<ResponseData>(new ResponseData { Units = { Empty<UnitTypeData>(400_000) } }.ToByteArray(), 7, "data"));
        Assert.Equal(("data would take more than 50331648 bytes of memory", 7), (refused.Message, refused.Offset));
        Assert.NotNull(refused.Remedy);
    }

    [Fact]
    public void Messages_inside_others_count() => Assert.Throws<McapException>(() => ParsedSize.Check<ResponseObservation>(
        new ResponseObservation
        {
            Observation = new Observation
            {
                RawData = new ObservationRaw { Units = { new Unit { Orders = { Empty<UnitOrder>(900_000) } } } },
            },
        }.ToByteArray(), 0, "it"));

    [Fact]
    public void Groups_are_refused_whatever_is_in_them()
    {
        byte[] begin = [0xC3, 0x3E]; // the tag of a group, field 1000
        byte[] end = [0xC4, 0x3E];
        byte[] message = [.. begin, .. Enumerable.Repeat<byte[]>([.. begin, .. end], 200_000).SelectMany(group => group), .. end];
        Assert.Throws<McapException>(() => ParsedSize.Check<ResponseData>(message, 0, "it"));
    }

    [Fact]
    public void Bytes_in_the_place_of_a_number_count()
    {
        var message = Enumerable.Repeat<byte[]>([0x0A, 1, 0], 500_000).SelectMany(field => field).ToArray();
        Assert.Throws<McapException>(() => ParsedSize.Check<AbilityData>(message, 0, "it"));
    }

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
        ParsedSize.Check<ResponseData>(Enumerable.Repeat((byte)0xFF, 300_000).ToArray(), 0, "it");
    }

    private static IEnumerable<T> Empty<T>(int count)
        where T : new() => Enumerable.Range(0, count).Select(_ => new T());
}
