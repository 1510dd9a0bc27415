using Sc2Bridge.Simulator.Facts;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Simulator.World;

/// <summary>A filter of a spell's targets. A target must match all words of the cell in spells.tsv.</summary>
internal sealed class TargetFilter
{
    private static readonly Dictionary<string, Func<int, Unit, bool>> Words = new()
    {
        ["own"] = static (owner, unit) => unit.Owner == owner,
        ["enemy"] = static (owner, unit) => unit.Owner != owner,
        ["owned"] = static (_, unit) => unit.Owner != GameWorld.Neutral,
        ["structure"] = static (_, unit) => unit.Type.Is(Kind.Structure),
        ["hall"] = static (_, unit) => unit.Type.Is(Kind.TownHall),
        ["finished"] = static (_, unit) => unit.Finished,
        ["flying"] = static (_, unit) => unit.Flying,
        ["energy"] = static (_, unit) => unit.Type.Energy > 0,
        ["controllable"] = static (_, unit) => unit.Finished && unit.Change is null && unit.Passengers.Count == 0
            && !unit.Type.Is(Kind.KeepsOwner) && !Buffs.Has(unit, BuffId.NeuralParasite)
            && !Buffs.Has(unit, BuffId.OracleStasisTrapTarget),
    };

    private readonly Func<int, Unit, bool>[] _words;
    private readonly bool _other;

    private TargetFilter(string[] words)
    {
        _other = words.Contains("other");
        _words = [.. words.Where(word => word != "other").Select(ReadWord)];
    }

    /// <summary>Reads a cell. Null if the cell is empty.</summary>
    public static TargetFilter? Read(string text) => text.Length == 0 ? null : new TargetFilter(text.Split(' '));

    /// <summary>Whether a unit matches, for a spell of a player.</summary>
    public bool Fits(int owner, Unit unit) => Array.TrueForAll(_words, word => word(owner, unit));

    /// <summary>Whether a unit matches, for a spell of a caster.</summary>
    public bool Fits(Unit caster, Unit unit) => (!_other || caster != unit) && Fits(caster.Owner, unit);

    private static Func<int, Unit, bool> ReadWord(string word)
    {
        if (word[0] == '!')
        {
            var not = ReadWord(word[1..]);
            return (owner, unit) => !not(owner, unit);
        }

        if (word.Contains('|', StringComparison.Ordinal))
        {
            Func<int, Unit, bool>[] any = [.. word.Split('|').Select(ReadWord)];
            return (owner, unit) => Array.Exists(any, one => one(owner, unit));
        }

        if (Words.TryGetValue(word, out var known))
        {
            return known;
        }

        if (Enum.TryParse<Attribute>(word, out var attribute))
        {
            return (_, unit) => unit.Type.Is(attribute);
        }

        var type = TechTree.Unit(word);
        return (_, unit) => unit.Type.Id == type.Id;
    }
}
