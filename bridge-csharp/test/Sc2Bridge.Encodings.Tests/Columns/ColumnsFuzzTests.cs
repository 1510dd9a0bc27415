using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Encodings.Tests.Columns;

/// <summary>Untrusted bytes cause only the documented error. If parsing succeeds, the writer and the library agree.</summary>
[Trait("Suite", "Slow")]
public sealed class ColumnsFuzzTests
{
    private const int MutationsOfEach = 400;

    [Fact]
    public void Whole_observations_with_bytes_changed_lost_and_repeated()
    {
        var random = new Random(20_240_502);
        foreach (var observation in Observations.AtHand().Select(one => Units(one.Bytes)))
        {
            for (var i = 0; i < Cases.Of(MutationsOfEach); i++)
            {
                Check(Mutate(observation, random));
            }
        }
    }

    [Theory]
    [InlineData(1_000)]
    [InlineData(5_000, Traits = ["Suite", "Long"])]
    public void Generated_observations_with_bytes_changed_lost_and_repeated(int times)
    {
        var random = new Random(20_240_503);
        for (var seed = 0; seed < Cases.Of(times); seed++)
        {
            Check(Mutate(WireObservations.Make(seed), random));
        }
    }

    [Fact]
    public void A_message_cut_off_at_any_byte()
    {
        for (var seed = 0; seed < Cases.Of(20); seed++)
        {
            var observation = WireObservations.Make(seed);
            for (var length = 0; length < Math.Min(observation.Length, 3000); length++)
            {
                Check(observation[..length]);
            }
        }
    }

    // Without images, whose content is not read, more of the random changes have an effect.
    private static byte[] Units(byte[] observation)
    {
        var parsed = ResponseObservation.Parser.ParseFrom(observation);
        parsed.Observation.RawData.MapState = null;
        parsed.Observation.FeatureLayerData = null;
        return parsed.ToByteArray();
    }

    private static byte[] Mutate(byte[] observation, Random random)
    {
        var bytes = observation.ToList();
        for (var count = random.Next(1, 5); count > 0 && bytes.Count > 0; count--)
        {
            var at = random.Next(bytes.Count);
            var run = Math.Min(random.Next(1, 40), bytes.Count - at);
            switch (random.Next(8))
            {
                case 0:
                    bytes.RemoveRange(at, run);
                    break;
                case 1:
                    bytes.InsertRange(at, bytes.GetRange(at, run));
                    break;
                case 2:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
                default:
                    bytes[at] = (byte)random.Next(256);
                    break;
            }
        }

        return [.. bytes];
    }

    private static void Check(byte[] observation)
    {
        var parses = Parses(observation);
        MessageBuffer columns;
        try
        {
            columns = ColumnsWriter.Write(observation);
        }
        catch (EncodingException refused)
        {
            Assert.InRange(refused.Offset ?? -1, 0, observation.Length);
            Assert.Contains($"at byte {refused.Offset}", refused.Message, StringComparison.Ordinal);
            Assert.False(parses && !IsStricter(refused), $"{refused.Message} {Convert.ToHexString(observation)}");
            return;
        }

        try
        {
            if (parses && !IsReadOtherwise(observation))
            {
                Assert.Equal(PlainColumns.Of(observation), V1.Columns.Parser.ParseFrom(columns.Written.Span));
            }
        }
        finally
        {
            columns.Release();
        }
    }

    // Google.Protobuf ignores the excess bits of a tag or a length.
    private static bool IsStricter(EncodingException refused) =>
        refused.Message.Contains("longer than 32 bits", StringComparison.Ordinal)
        || (refused.Message.Split(" says ") is [_, var said] && ulong.Parse(said.Split(' ')[0], null) > int.MaxValue);

    private static bool Parses(byte[] observation)
    {
        try
        {
            ResponseObservation.Parser.ParseFrom(observation);
            return true;
        }
        catch (InvalidProtocolBufferException)
        {
            return false;
        }
    }

    // The library reads such a number as a value, and forgets the previous value.
    private static bool IsReadOtherwise(byte[] observation) =>
        ResponseObservation.Parser.ParseFrom(observation).Observation?.RawData?.Units.Any(unit =>
            (unit.HasDisplayType && !Enum.IsDefined(unit.DisplayType))
            || (unit.HasAlliance && !Enum.IsDefined(unit.Alliance))
            || (unit.HasCloak && !Enum.IsDefined(unit.Cloak))) is true;
}
