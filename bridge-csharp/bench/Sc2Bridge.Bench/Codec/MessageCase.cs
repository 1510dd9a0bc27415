using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Bench;

/// <summary>A message of a certain size.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Message">The message.</param>
internal sealed record MessageCase(string Name, IMessage Message)
{
    private const int Items = 100;
    private const int MediumBytes = 48_000;

    /// <summary>Small, medium and large messages.</summary>
    /// <param name="first">The simulated match's first observation, serialized: medium where no real one is at
    /// hand.</param>
    /// <param name="last">Its last: large.</param>
    public static IReadOnlyList<MessageCase> All(byte[] first, byte[] last)
    {
        var real = MeasuredFrames.Real();
        var medium = real.Length > 0 ? real.MinBy(bytes => Math.Abs(bytes.Length - MediumBytes))! : first;
        return
        [
            new("action", SmallAction()),
            new($"list of {Items} items", SmallList()),
            new($"medium observation{(real.Length > 0 ? ", real" : "")}", Parse(medium)),
            new("large observation", Parse(last)),
        ];

        static ResponseObservation Parse(byte[] bytes) => ResponseObservation.Parser.ParseFrom(bytes);
    }

    // Two units attack-move to a place.
    private static SC2APIProtocol.Action SmallAction() => new()
    {
        ActionRaw = new ActionRaw
        {
            UnitCommand = new ActionRawUnitCommand
            {
                AbilityId = 3674,
                TargetWorldSpacePos = new Point2D { X = 87.5f, Y = 152.25f },
                UnitTags = { 4_342_153_217, 4_342_415_361 },
            },
        },
    };

    // What a unit can do, as queries are answered.
    private static ResponseQueryAvailableAbilities SmallList()
    {
        var list = new ResponseQueryAvailableAbilities();
        for (var item = 0; item < Items; item++)
        {
            list.Abilities.Add(new AvailableAbility { AbilityId = 300 + item });
        }

        return list;
    }
}
