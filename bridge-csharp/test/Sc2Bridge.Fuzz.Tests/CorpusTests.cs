namespace Sc2Bridge.Fuzz.Tests;

/// <summary>Runs each parser on its seeds, on the inputs that a fuzzer found, and on small changes of both.</summary>
public sealed class CorpusTests
{
    private const int ChangesOfSeed = 40;

    // Fewer changes, because a fuzzer found many inputs.
    private const int ChangesOfKept = 4;

    public static TheoryData<string> Parsers => [.. OutsideParser.All.Select(parser => parser.Name)];

    [Theory]
    [MemberData(nameof(Parsers))]
    public void Kept_inputs_and_changes_of_them_are_taken_or_refused(string name)
    {
        var parser = OutsideParser.All.Single(parser => parser.Name == name);
        var random = new Random(20_261_123);
        foreach (var (input, changes) in parser.Seeds().Select(seed => (seed, ChangesOfSeed))
            .Concat(parser.Kept().Select(kept => (kept, ChangesOfKept))))
        {
            parser.Run(input);
            for (var change = 0; change < changes; change++)
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
