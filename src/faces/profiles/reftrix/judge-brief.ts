/** What a client says that it wants designed. */
export interface Brief {
  readonly projectName: string;
  readonly description?: string | undefined;
  readonly targetAudience?: string | undefined;
  readonly industry?: string | undefined;
  readonly tone?: readonly string[] | undefined;
  readonly colorPreferences?: { readonly primary?: string | undefined } | undefined;
  readonly references?: readonly object[] | undefined;
  readonly constraints?:
    | { readonly mustHave?: readonly string[] | undefined; readonly mustAvoid?: readonly string[] | undefined }
    | undefined;
}

interface Issue {
  readonly field: string;
  readonly severity: "error" | "warning" | "suggestion";
  readonly message: string;
  readonly suggestion?: string;
}

interface Judgement {
  readonly isValid: boolean;
  readonly completenessScore: number;
  readonly issues: readonly Issue[];
  readonly suggestions: readonly string[];
  readonly readyForDesign: boolean;
}

/** From this score on, and without errors, a brief can be worked with. */
const readyScore = 60;

/** A field, its part of the score, whether it is there in full, and what is said if it is not. */
interface Part {
  readonly field: string;
  readonly points: number;
  readonly isComplete: boolean;
  readonly severity: Issue["severity"];
  readonly message: string;
  readonly suggestion: string;
}

/** Each field that is there in full counts; what is missing is told with how to mend it. */
export function judgeBrief(brief: Brief, isStrict: boolean): Judgement {
  const parts = listParts(brief);
  const missing = parts.filter(({ isComplete }) => !isComplete);
  const issues: Issue[] = [
    ...missing.map(({ field, severity, message, suggestion }) => ({ field, severity, message, suggestion })),
    ...(isStrict ? strictIssues(brief) : []),
  ];
  const completenessScore = parts.reduce((sum, { points, isComplete }) => sum + (isComplete ? points : 0), 0);
  const isValid = issues.every(({ severity }) => severity !== "error");
  return {
    isValid,
    completenessScore,
    issues,
    suggestions: missing.map(({ suggestion }) => suggestion),
    readyForDesign: isValid && completenessScore >= readyScore,
  };
}

function listParts(brief: Brief): Part[] {
  const { projectName, description = "", targetAudience = "", industry = "", tone = [] } = brief;
  const { mustHave = [], mustAvoid = [] } = brief.constraints ?? {};
  return [
    {
      ...{ field: "projectName", points: 10, isComplete: projectName.length >= 3, severity: "error" },
      message: `The project's name must have at least 3 characters, got ${projectName.length}.`,
      suggestion: "Give the project a name by which people know it.",
    },
    {
      ...{ field: "description", points: 20, isComplete: description.length >= 50, severity: "warning" },
      message: `A description should have at least 50 characters, got ${description.length}.`,
      suggestion: "Describe what is to be designed, and what it is for.",
    },
    {
      ...{ field: "targetAudience", points: 15, isComplete: targetAudience.length >= 20, severity: "warning" },
      message: `The audience should be described in at least 20 characters, got ${targetAudience.length}.`,
      suggestion: "Say who it is for: their age, work and aims.",
    },
    {
      ...{ field: "industry", points: 10, isComplete: industry.length > 0, severity: "warning" },
      message: "The industry is not named.",
      suggestion: "Name the industry, so that its conventions can be followed or broken on purpose.",
    },
    {
      ...{ field: "tone", points: 15, isComplete: tone.length > 0, severity: "warning" },
      message: "No tone is named.",
      suggestion: "Choose a tone or two, such as minimal and friendly.",
    },
    {
      ...{ field: "colorPreferences", points: 15, severity: "suggestion" },
      isComplete: brief.colorPreferences?.primary !== undefined,
      message: "No primary colour is named.",
      suggestion: "Name a primary colour as #RRGGBB.",
    },
    {
      ...{ field: "references", points: 10, severity: "suggestion" },
      isComplete: (brief.references ?? []).length > 0,
      message: "No reference is named.",
      suggestion: "Name pages that go in the direction that is wanted.",
    },
    {
      ...{ field: "constraints", points: 5, severity: "suggestion" },
      isComplete: mustHave.length + mustAvoid.length > 0,
      message: "Nothing is said of what must be there, or must not.",
      suggestion: "Say what must be there and what must be avoided.",
    },
  ];
}

function strictIssues({ description = "", tone = [], colorPreferences, references = [] }: Brief): Issue[] {
  const rules: (Issue & { readonly isMet: boolean })[] = [
    {
      ...{ field: "description", isMet: description.length >= 100, severity: "error" },
      message: `In strict mode a description must have at least 100 characters, got ${description.length}.`,
    },
    { field: "tone", isMet: tone.length > 0, severity: "error", message: "In strict mode a tone must be named." },
    {
      ...{ field: "colorPreferences", isMet: colorPreferences?.primary !== undefined, severity: "error" },
      message: "In strict mode a primary colour must be named.",
    },
    {
      ...{ field: "references", isMet: references.length >= 2, severity: "error" },
      message: `In strict mode two references must be named, got ${references.length}.`,
    },
  ];
  return rules.filter(({ isMet }) => !isMet).map(({ field, severity, message }) => ({ field, severity, message }));
}
