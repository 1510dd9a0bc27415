using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol.Tests;

public class ObservationFactsTests
{
    [Theory]
    [InlineData(0u)]
    [InlineData(127u)]
    [InlineData(16_860u)]
    [InlineData(uint.MaxValue)]
    public void The_loop_is_read(uint loop)
    {
        var message = new ResponseObservation
        {
            Actions = { new SC2APIProtocol.Action { GameLoop = 99 } },
            Observation = new Observation { GameLoop = loop, Score = new Score { Score_ = 5 } },
        };
        Assert.Equal(new ObservationFacts(loop, false, true), ObservationFacts.Read(message.ToByteArray()));
    }

    [Fact]
    public void Results_are_seen_with_and_without_an_observation()
    {
        var message = new ResponseObservation { PlayerResult = { new PlayerResult { PlayerId = 1 } } };
        Assert.Equal(new ObservationFacts(0, true, false), ObservationFacts.Read(message.ToByteArray()));
        message.Observation = new Observation { GameLoop = 3 };
        Assert.Equal(new ObservationFacts(3, true, true), ObservationFacts.Read(message.ToByteArray()));
    }

    [Fact]
    public void An_observation_in_two_parts_adds_up_as_in_parsing()
    {
        byte[] bytes = [.. Wire.Bytes(3, Wire.Number(9, 4)), .. Wire.Bytes(3, Wire.Bytes(4))];
        Assert.Equal(4u, ResponseObservation.Parser.ParseFrom(bytes).Observation.GameLoop);
        Assert.Equal(new ObservationFacts(4, false, true), ObservationFacts.Read(bytes));
    }

    [Fact]
    public void Whole_observations_read_as_they_parse()
    {
        foreach (var (_, bytes) in Observations.AtHand())
        {
            var parsed = ResponseObservation.Parser.ParseFrom(bytes);
            Assert.Equal(
                new ObservationFacts(
                    parsed.Observation.GameLoop, parsed.PlayerResult.Count > 0, parsed.Observation is not null),
                ObservationFacts.Read(bytes));
        }
    }
}
