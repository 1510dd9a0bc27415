namespace Sc2Bridge.Fuzz.Tests;

/// <summary>Each parser on what it begins with, what a fuzzer has kept, and small changes of both.</summary>
public sealed class CorpusTests
{
    private const int ChangesOfEach = 40;

    public static TheoryData<string> Parsers => [.. OutsideParser.All.Select(parser => parser.Name)];

    [Theory]
    [MemberData(nameof(Parsers))]
    public void Kept_inputs_and_changes_of_them_are_taken_or_refused(string name)
    {
        var parser = OutsideParser.All.Single(parser => parser.Name == name);
        var random = new Random(20_261_123);
        foreach (var input in parser.Seeds().Concat(parser.Kept()))
        {
            parser.Run(input);
            for (var change = 0; change < ChangesOfEach; change++)
            {
                var changed = input[..random.Next(input.Length + 1)].Concat(input[random.Next(input.Length + 1)..]).ToArray();
                if (changed.Length > 0)
                {
                    changed[random.Next(changed.Length)] ^= (byte)(1 << random.Next(8));
                }

                parser.Run(changed);
            }
        }
    }
}
