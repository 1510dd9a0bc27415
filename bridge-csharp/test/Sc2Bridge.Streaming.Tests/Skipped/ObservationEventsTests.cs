using System.Buffers;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Event = SC2APIProtocol.Event;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Operations on an observation's bytes have the same effect as on the parsed message, and no other effect.</summary>
public sealed class ObservationEventsTests
{
    private static readonly Arbitrary<int> Seeds = Gen.Choose(0, int.MaxValue - 1).ToArbitrary();

    [Fact]
    public void Nothing_skipped_leaves_the_very_bytes()
    {
        var events = new ObservationEvents();
        Assert.True(events.IsEmpty);
        Prop.ForAll(Seeds, seed =>
        {
            var random = new Random(seed);
            var bytes = Observations.Make(random).ToByteArray();
            events.Add(Bare(random).ToByteArray());
            Assert.Equal(bytes, Written(bytes, events));
            random.NextBytes(bytes);
            Assert.Equal(bytes, Written(bytes, events));
            Assert.Equal(bytes, Again(bytes, again: false));
        }).Check(Config.QuickThrowOnFailure);
    }

    [Fact]
    public void Skipped_events_stand_before_its_own_and_the_rest_keeps_its_bytes() => Prop.ForAll(Seeds, seed =>
    {
        var random = new Random(seed);
        var events = new ObservationEvents();
        var skipped = Enumerable.Range(0, random.Next(1, 6)).Select(_ => Any(random)).ToList();
        var last = Any(random);
        skipped.ForEach(one => events.Add(one.ToByteArray()));
        var expected = Merged(skipped, last);
        Assert.Equal(expected.ToByteArray(), Written(last.ToByteArray(), events));
        events.Clear();
        Assert.True(events.IsEmpty);
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)));

    [Fact]
    public void Fields_out_of_order_packed_or_in_two_parts_are_merged_all_the_same() => Prop.ForAll(Seeds, seed =>
    {
        var random = new Random(seed);
        var (first, second, last) = (Observations.Make(random), Observations.Make(random), Observations.Make(random));

        // Concatenated messages merge: each observation comes in two parts, the later fields first.
        var events = new ObservationEvents();
        events.Add([.. Packed(first), .. second.ToByteArray()]);
        byte[] two = [.. last.ToByteArray(), .. Packed(second)];
        var (firsts, lasts) = (first.Clone(), last.Clone());
        firsts.MergeFrom(second);
        lasts.MergeFrom(second);
        Assert.Equal(Merged([firsts], lasts), ResponseObservation.Parser.ParseFrom(Written(two, events)));
    }).Check(Config.QuickThrowOnFailure);

    [Fact]
    public void What_was_told_is_left_out_and_results_are_put_in() => Prop.ForAll(Seeds, seed =>
    {
        var random = new Random(seed);
        var told = Any(random);
        var bare = told.Clone();
        bare.Actions.Clear();
        bare.ActionErrors.Clear();
        bare.Chat.Clear();
        bare.Observation?.Alerts.Clear();
        if (bare.Observation?.RawData is { } raw)
        {
            raw.Event = null;
        }

        Assert.Equal(bare.ToByteArray(), Again(told.ToByteArray(), again: true));
        var lost = new PlayerResult { PlayerId = 2, Result = SC2APIProtocol.Result.Defeat };
        PlayerResult[] results = [lost, new() { PlayerId = 1 }];
        bare.PlayerResult.AddRange(results);
        told.PlayerResult.AddRange(results);
        var without = told.Clone();
        without.PlayerResult.Clear();
        Assert.Equal(bare.ToByteArray(), Again(without.ToByteArray(), again: true, results));
        Assert.Equal(told.ToByteArray(), Again(without.ToByteArray(), again: false, results));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)));

    [Fact]
    public void Damaged_bytes_never_throw() => Prop.ForAll(Seeds, seed =>
    {
        var random = new Random(seed);
        var bytes = Observations.Make(random).ToByteArray();
        for (var damage = random.Next(5); damage >= 0; damage--)
        {
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
        }

        var events = new ObservationEvents();
        events.Add(bytes);
        events.Add(bytes.AsSpan(0, random.Next(bytes.Length)));
        Written(bytes, events);
        Written(Observations.Make(random).ToByteArray(), events);
        Again(bytes, again: true);
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)));

    // With all events, some or none; with or without raw data.
    private static ResponseObservation Any(Random random)
    {
        var made = random.Next(4) == 0 ? Bare(random) : Observations.Make(random);
        if (random.Next(3) == 0)
        {
            made.Actions.Clear();
            made.Observation.RawData?.Event = null;
        }

        if (random.Next(5) == 0)
        {
            made.Observation.RawData = null;
        }

        return made;
    }

    private static ResponseObservation Bare(Random random) =>
        new() { Observation = new() { GameLoop = (uint)random.Next(9), RawData = new ObservationRaw() } };

    private static ResponseObservation Merged(IReadOnlyList<ResponseObservation> skipped, ResponseObservation last)
    {
        var merged = last.Clone();
        var raw = new ObservationRaw { Event = new(), Player = new() };
        var before = new ResponseObservation { Observation = new() { RawData = raw } };
        var (dead, upgrades) = (raw.Event.DeadUnits, raw.Player.UpgradeIds);
        foreach (var one in skipped)
        {
            before.Actions.AddRange(one.Actions);
            before.ActionErrors.AddRange(one.ActionErrors);
            before.Chat.AddRange(one.Chat);
            before.Observation.Alerts.AddRange(one.Observation.Alerts);
            dead.AddRange(one.Observation.RawData?.Event?.DeadUnits ?? []);
            upgrades.AddRange(one.Observation.RawData?.Player?.UpgradeIds ?? []);
        }

        var own = last.Observation.RawData?.Player?.UpgradeIds ?? [];
        var more = upgrades.Distinct().Except(own).Order().ToList();
        Prepend(merged.Actions, before.Actions);
        Prepend(merged.ActionErrors, before.ActionErrors);
        Prepend(merged.Chat, before.Chat);
        Prepend(merged.Observation.Alerts, before.Observation.Alerts);
        if (dead.Count > 0)
        {
            Prepend(((merged.Observation.RawData ??= new()).Event ??= new()).DeadUnits, dead);
        }

        if (more.Count > 0)
        {
            Prepend(((merged.Observation.RawData ??= new()).Player ??= new()).UpgradeIds, more);
        }

        return merged;
    }

    private static void Prepend<T>(IList<T> to, IEnumerable<T> before)
    {
        var own = to.ToList();
        to.Clear();
        foreach (var one in before.Concat(own))
        {
            to.Add(one);
        }
    }

    // The same message with its top-level fields in reverse order, and packed lists of numbers.
    private static byte[] Packed(ResponseObservation observation)
    {
        var inner = observation.Observation.Clone();
        var (alerts, dead) = (inner.Alerts.Select(a => (ulong)a).ToList(), inner.RawData.Event.DeadUnits.ToList());
        inner.Alerts.Clear();
        inner.RawData.Event = null;
        byte[] body =
        [
            .. Field(Observation.AlertsFieldNumber, Numbers(alerts)), .. inner.ToByteArray(),
            .. Field(
                Observation.RawDataFieldNumber,
                Field(ObservationRaw.EventFieldNumber, Field(Event.DeadUnitsFieldNumber, Numbers(dead)))),
        ];
        var rest = observation.Clone();
        rest.Observation = null;
        return [.. rest.ToByteArray(), .. Field(ResponseObservation.ObservationFieldNumber, body)];
    }

    private static byte[] Field(int number, byte[] content)
    {
        var bytes = new MemoryStream();
        using (var to = new CodedOutputStream(bytes))
        {
            to.WriteTag(number, WireFormat.WireType.LengthDelimited);
            to.WriteBytes(ByteString.CopyFrom(content));
        }

        return bytes.ToArray();
    }

    private static byte[] Numbers(IEnumerable<ulong> numbers)
    {
        var bytes = new MemoryStream();
        using (var to = new CodedOutputStream(bytes))
        {
            foreach (var number in numbers)
            {
                to.WriteUInt64(number);
            }
        }

        return bytes.ToArray();
    }

    private static byte[] Written(byte[] observation, ObservationEvents events)
    {
        var to = new ArrayBufferWriter<byte>();
        events.Write(observation, to);
        return to.WrittenSpan.ToArray();
    }

    private static byte[] Again(byte[] observation, bool again, params PlayerResult[] results)
    {
        var to = new ArrayBufferWriter<byte>();
        ObservationEvents.Write(observation, again, results, to);
        return to.WrittenSpan.ToArray();
    }
}
