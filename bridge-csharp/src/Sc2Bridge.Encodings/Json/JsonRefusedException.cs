namespace Sc2Bridge.Encodings.Json;

/// <summary>A part of a text is not valid. <see cref="JsonToWire"/> adds the position.</summary>
/// <param name="what">The problem.</param>
/// <param name="instead">The remedy.</param>
internal sealed class JsonRefusedException(string what, string instead) : Exception($"{what}; {instead}");
