using System.Text.RegularExpressions;

namespace Sc2Bridge.Simulator.Tests;

public sealed class NumbersTests
{
    // Matches `type.Id is 48 or 51`, `TechTree.Unit(48)`, `case 48:` after a switch of ids, `player.Upgrades.Contains(17)`.
    private static readonly Regex _number = new(
        @"\b(Type|type|Ability|ability|from|into|target|unit|RemapsTo|Index|Id)(\.Id|\.RemapsTo)? (==|!=|is|is not) \(?[0-9]{2,}"
        + @"|\b(Unit|FindUnit|Ability|FindAbility|AbilityOf|CountsAs|Buff|FindUpgrade|Has|Contains|ContainsKey)\([0-9]+\)"
        + @"|\[[0-9]{2,}\] = (new|\()|^\s+[0-9]{2,}( or [0-9]+)* (when|=>)");

    [Fact]
    public void No_number_of_a_unit_ability_upgrade_or_buff_stands_in_the_code()
    {
        var folder = Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "src", "Sc2Bridge.Simulator");
        var found = Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal))
            .SelectMany(file => File.ReadLines(file).Where(line => _number.IsMatch(line))
                .Select(line => $"{Path.GetFileName(file)}: {line.Trim()}"));
        Assert.Empty(found);
    }

    [Theory]
    [InlineData("        if (unit.Type.Id is 48 or 51)")]
    [InlineData("        return ability.RemapsTo == 3674;")]
    [InlineData("            && a.Index == 30),")]
    [InlineData("        var worker = TechTree.Unit(45);")]
    [InlineData("            105 when player.Upgrades.Contains(66) => 60,")]
    [InlineData("        [2338] = new((w, u, o) => Lay(w, u, o)),")]
    public void Such_a_line_would_be_found(string line) => Assert.Matches(_number, line);
}
