using System.Text;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>The JSON reader on messages of the real game.</summary>
[Trait("ThirdParty", "real messages")]
[Trait("Needs", "real")]
public sealed class RealMessageReadingTests
{
    public static TheoryData<string> Endings => ["observation.pb", "game_info.pb", "data.pb"];

    [Theory]
    [MemberData(nameof(Endings))]
    public void A_real_message_is_the_same_after_its_text(string ending)
    {
        var type = ending == "observation.pb" ? ResponseObservation.Descriptor : Response.Descriptor;
        foreach (var bytes in SharedFolder.RealMessages(ending))
        {
            var message = type.Parser.ParseFrom(bytes);
            var text = JsonFormatter.Default.Format(message);
            var wire = Reading.Wire(type, Encoding.UTF8.GetBytes(text));
            Assert.Equal(message, type.Parser.ParseFrom(wire));

            // The game also orders fields by number.
            Assert.Equal(message.ToByteArray(), wire);
        }
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void Of_a_damaged_real_observation_only_the_documented_error_is_raised()
    {
        var random = new Random(7);
        foreach (var bytes in SharedFolder.RealMessages("observation.pb"))
        {
            var text = Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(ResponseObservation.Parser.ParseFrom(bytes)));
            var (read, refused) = (0, 0);
            for (var round = 0; round < 60; round++)
            {
                try
                {
                    var wire = Reading.Wire(ResponseObservation.Descriptor, Damage.Some(text, random));
                    ResponseObservation.Parser.ParseFrom(wire);
                    read++;
                }
                catch (EncodingException refusal)
                {
                    Assert.StartsWith("The text is not a valid Response", refusal.Message, StringComparison.Ordinal);
                    refused++;
                }
            }

            // Some damaged texts are still readable, and some are not.
            Assert.True(read > 2 && refused > 20, $"{read} were read, {refused} refused");
        }
    }
}
