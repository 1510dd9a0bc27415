using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.Analysis;

/// <summary>Made-up observations of a match of two players.</summary>
internal static class MadeMatch
{
    public const uint Marine = 48;
    public const uint Nexus = 59;

    public static ResponseData Data => new()
    {
        Units =
        {
            new UnitTypeData { UnitId = Marine, Name = "Marine", MineralCost = 50 },
            new UnitTypeData { UnitId = Nexus, Name = "Nexus", MineralCost = 400 },
        },
    };

    public static MatchDescription Describe(params uint[] perspectives) => new()
    {
        MatchId = TestMatch.Name,
        Perspectives = { perspectives },
        Players = { new V1.Player { PlayerId = 1 }, new V1.Player { PlayerId = 2 } },
    };

    public static ResponseObservation Observe(uint loop, params Unit[] units) => new()
    {
        Observation = new Observation { GameLoop = loop, RawData = new ObservationRaw { Units = { units } } },
    };

    public static ResponseObservation WithDead(this ResponseObservation observation, params ulong[] tags)
    {
        observation.Observation.RawData.Event = new SC2APIProtocol.Event { DeadUnits = { tags } };
        return observation;
    }

    public static Unit Unit(ulong tag, int owner, float x, float health = 45, uint type = Marine, float progress = 1) => new()
    {
        DisplayType = DisplayType.Visible,
        Tag = tag,
        Owner = owner,
        UnitType = type,
        Pos = new Point { X = x, Y = 30 },
        Health = health,
        BuildProgress = progress,
    };
}
