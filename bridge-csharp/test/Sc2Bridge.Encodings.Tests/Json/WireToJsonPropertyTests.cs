using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.Json;

namespace Sc2Bridge.Encodings.Tests.Json;

public sealed class WireToJsonPropertyTests
{
    private static readonly FieldDescriptor Units =
        ObservationRaw.Descriptor.FindFieldByNumber(ObservationRaw.UnitsFieldNumber);

    [Fact]
    public void Every_message_of_both_contracts_has_the_text_that_the_library_reads_back() => ForAll(seed =>
    {
        foreach (var type in Contracts.Messages)
        {
            var wire = new RandomMessages(seed).Make(type).ToByteArray();
            Writing.AssertSame(type, wire, Writing.Text(type, wire));
        }
    });

    [Fact]
    [Trait("Suite", "Slow")]
    public void Any_form_on_the_wire_that_protobuf_allows_has_the_text_of_what_it_means() => ForAll(seed =>
    {
        var random = new Random(seed);
        foreach (var type in Contracts.Messages)
        {
            var messages = Enumerable.Range(0, random.Next(1, 4))
                .Select(index => new RandomMessages(seed + index).Make(type).ToByteArray());
            var wire = new Disorder(random).Write(type, messages);
            Writing.AssertSame(type, wire, Writing.Text(type, wire));
        }
    });

    [Fact]
    [Trait("Suite", "Slow")]
    public void What_is_taken_over_from_the_last_message_is_what_would_be_written() => ForAll(seed =>
    {
        var random = new Random(seed);
        using var remembering = new WireToJson(ResponseObservation.Descriptor, Units);
        using var plain = new WireToJson(ResponseObservation.Descriptor);
        var units = new List<Unit>();
        for (var step = 0; step < 12; step++)
        {
            Change(units, random);
            var observation = new ResponseObservation
            {
                Chat = { new ChatReceived { Message = new string('x', random.Next(3)) } },
                Observation = new Observation { RawData = new ObservationRaw { Units = { units } } },
            };
            var wire = observation.ToByteArray();
            if (random.Next(4) == 0)
            {
                wire = new Disorder(random).Write(ResponseObservation.Descriptor, wire);
            }

            Assert.Equal(Writing.Text(plain, wire), Writing.Text(remembering, wire));
            if (random.Next(8) == 0)
            {
                Assert.Throws<EncodingException>(() => Writing.Text(remembering, wire.Append((byte)0x80).ToArray()));
            }
        }
    });

    [Fact]
    public void Damaged_messages_in_a_row_have_the_text_that_each_has_alone_or_are_refused_as_well() => ForAll(seed =>
    {
        var random = new Random(seed);
        using var remembering = new WireToJson(ResponseObservation.Descriptor, Units);
        using var plain = new WireToJson(ResponseObservation.Descriptor);
        var units = new List<Unit>();
        var kept = Array.Empty<byte>();
        for (var step = 0; step < 30; step++)
        {
            if (step % 10 == 0)
            {
                Change(units, random);
                kept = new ResponseObservation
                {
                    Observation = new Observation { RawData = new ObservationRaw { Units = { units } } },
                }.ToByteArray();
            }

            // Some of the damage stays, so that the writer caches damaged items.
            byte[] wire = [.. kept];
            for (var changes = random.Next(3); changes > 0 && wire.Length > 0; changes--)
            {
                wire[random.Next(wire.Length)] = (byte)random.Next(256);
            }

            var expected = Outcome(plain, wire);
            Assert.Equal(expected, Outcome(remembering, wire));
            kept = expected.StartsWith('{') ? wire : kept;
        }
    });

    private static string Outcome(WireToJson writer, byte[] wire)
    {
        try
        {
            return Writing.Text(writer, wire);
        }
        catch (EncodingException refused)
        {
            // If there are several faults, either one may be reported.
            Assert.NotNull(refused.Offset);
            return "refused";
        }
    }

    private static void Change(List<Unit> units, Random random)
    {
        for (var change = random.Next(8); change > 0; change--)
        {
            var at = random.Next(units.Count + 1);
            switch (random.Next(5))
            {
                case 0 when at < units.Count:
                    units.RemoveAt(at);
                    break;
                case 1 when at < units.Count:
                    units[at] = new Unit(units[at]) { Facing = random.NextSingle() };
                    break;
                case 2 when at < units.Count:
                    var moved = units[at];
                    units.RemoveAt(at);
                    units.Insert(random.Next(units.Count + 1), moved);
                    break;
                case 3 when at < units.Count:
                    units.Add(units[at]); // the same unit twice
                    break;
                default:
                    var born = (Unit)new RandomMessages(random.Next()).Make(Unit.Descriptor);
                    units.Insert(at, born);
                    break;
            }
        }
    }

    private static void ForAll(Action<int> holds) => Prop.ForAll(ArbMap.Default.ArbFor<int>(), seed =>
    {
        holds(seed & int.MaxValue);
        return true;
    }).QuickCheckThrowOnFailure();
}
